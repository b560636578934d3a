package exact

import "os"

// slow asks for more trials.
var slow = os.Getenv("ARENALAB_SLOW") != ""
