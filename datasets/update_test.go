package datasets

import "flag"

var update = flag.Bool("update", false, "rewrite the files that tests compare with")
