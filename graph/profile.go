package graph

// Profile says what a runtime puts into its arena and for how long. It is
// plain data: a user may define another runtime as JSON.
type Profile struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Summary string `json:"summary"`
	Source  string `json:"source"` // where the rules were read

	Align      int64 `json:"align"`       // of every offset, bytes
	RoundSizes int64 `json:"round_sizes"` // sizes are rounded up to a multiple; 0 and 1: not

	KeepInputs  bool `json:"keep_inputs"`  // graph inputs live to the end
	KeepUnread  bool `json:"keep_unread"`  // a value nobody reads lives to the end, else only at its producer
	EntryStep   bool `json:"entry_step"`   // step 0 is the entry, operators follow; inputs are born there
	ExitStep    bool `json:"exit_step"`    // the last step reads the outputs; else outputs end with the last operator
	Variables   bool `json:"variables"`    // variables are in the arena throughout, else in persistent memory
	StaticShape bool `json:"static_shape"` // the runtime has no dynamic tensors: unknown dimensions are as stored
}
