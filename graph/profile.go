package graph

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Profile says what a runtime puts into its arena and for how long. It is
// plain data: another runtime can be described as JSON, see ReadProfile.
type Profile struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
	Source  string `json:"source"` // where the rules were read

	Align      int64 `json:"align"`       // of every offset, bytes; a power of two
	RoundSizes int64 `json:"round_sizes"` // sizes are rounded up to a multiple of it, bytes

	KeepInputs bool `json:"keep_inputs"` // graph inputs live to the end, else to their last reader
	KeepUnread bool `json:"keep_unread"` // a result nobody reads lives to the end, else only at its producer
	EntryStep  bool `json:"entry_step"`  // time 0 is the entry of the subgraph: inputs are born there, operators follow
	ExitStep   bool `json:"exit_step"`   // what is never freed outlives the last operator by one step
	Variables  bool `json:"variables"`   // variables lie in the arena throughout, else in persistent memory
}

// Profiles returns the built-in profiles, sorted by name.
func Profiles() []Profile {
	return []Profile{
		{
			Name:       "litert",
			Summary:    "TFLite/LiteRT ArenaPlanner: 64-byte offsets, inputs and unread results kept, variables apart",
			Source:     "google-ai-edge/LiteRT tflite/arena_planner.cc at f67457790c9c",
			Align:      64,
			RoundSizes: 1,
			KeepInputs: true,
			KeepUnread: true,
			ExitStep:   true,
		},
		{
			Name:       "plain",
			Summary:    "the definitions of papers: no alignment, inputs recycled, variables in the arena",
			Source:     "Pisarchyk & Lee 2020, arXiv:2001.03288",
			Align:      1,
			RoundSizes: 1,
			Variables:  true,
		},
		{
			Name:       "tflm",
			Summary:    "TFLite-Micro MicroAllocator: sizes rounded to 16 bytes, inputs recycled, variables in the tail",
			Source:     "tensorflow/tflite-micro tensorflow/lite/micro/micro_allocation_info.cc at 90b983c",
			Align:      16,
			RoundSizes: 16,
			EntryStep:  true,
		},
	}
}

// LookupProfile returns the built-in profile of that name; the error lists the
// names there are.
func LookupProfile(name string) (Profile, error) {
	var names []string
	for _, p := range Profiles() {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Profile{}, fmt.Errorf("unknown profile %q; known: %s", name, strings.Join(names, ", "))
}

// ReadProfile reads a profile from JSON with the field names of Profile.
// Unknown fields are errors, so that a misspelt rule is not ignored.
func ReadProfile(r io.Reader) (Profile, error) {
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	var p Profile
	if err := dec.Decode(&p); err != nil {
		return Profile{}, fmt.Errorf("profile: %w", err)
	}
	if err := p.Validate(); err != nil {
		return Profile{}, err
	}
	return p, nil
}

// Validate reports what is wrong with the profile.
func (p Profile) Validate() error {
	switch {
	case p.Name == "":
		return fmt.Errorf("profile has no name")
	case p.Align < 0 || p.Align&(p.Align-1) != 0 || p.Align > 1<<30:
		return fmt.Errorf("profile %s: align %d is not a power of two up to 2^30", p.Name, p.Align)
	case p.RoundSizes < 0 || p.RoundSizes > 1<<30:
		return fmt.Errorf("profile %s: round_sizes %d is out of range", p.Name, p.RoundSizes)
	}
	return nil
}

// Round returns the bytes that a tensor of the given size takes in the arena.
func (p Profile) Round(bytes int64) int64 {
	if p.RoundSizes <= 1 {
		return bytes
	}
	return (bytes + p.RoundSizes - 1) / p.RoundSizes * p.RoundSizes
}
