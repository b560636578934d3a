package graph

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Profile says what a runtime puts into its arena and for how long. It is
// data, but for sets of rules that it names: another runtime can be described
// as JSON, see ReadProfile.
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

	// KeepUnused gives room to a tensor that no operator uses: apart from all
	// others in time, after everything else has run.
	KeepUnused bool `json:"keep_unused"`
	// Nested plans the subgraphs that operators call together with the one
	// that calls them, in one arena. Else they are planned apart.
	Nested bool `json:"nested"`
	// Lends keeps the operands of operators that call subgraphs where they are:
	// the inputs of a subgraph that is planned apart lie in the memory of its
	// caller, but for those of a loop's condition.
	Lends bool `json:"lends"`
	// StaticOnly leaves out what an operator that computes a shape at run time
	// makes, and all operators after it: a runtime plans them while it runs.
	StaticOnly bool `json:"static_only"`
	// Offline fixes the offsets that the model's offline plan gives.
	Offline bool `json:"offline"`

	// The following name sets of rules that are code; "" is none.

	Kernels string `json:"kernels"`  // whose working memory: KernelsTFLite, KernelsTFLM
	InPlace string `json:"in_place"` // which results lie on top of an operand: InPlaceTFLite, InPlaceLastUse
	Order   string `json:"order"`    // of rows: OrderTFLite; "" is by tensor, working memory last
}

// The sets of rules that profiles name.
const (
	// KernelsTFLite are the temporaries of TFLite's reference kernels on one
	// thread, and what they compute before the model runs.
	KernelsTFLite = "tflite-reference"
	// KernelsTFLM are the scratch buffers of TFLite-Micro's reference kernels,
	// on a machine of 64 bits, and its sizes of types.
	KernelsTFLM = "tflite-micro"
	// InPlaceTFLite is the sharing rule of TFLite's ArenaPlanner as it is, the
	// case included in which it overwrites what is still to be read.
	InPlaceTFLite = "tflite"
	// InPlaceLastUse lets the result of an operator that works element by element
	// take the place of the first operand of its size, if that is not needed
	// any longer; which one is depends on the order.
	InPlaceLastUse = "last-use"
	// OrderTFLite is the order in which TFLite's ArenaPlanner takes buffers,
	// ties as GNU's C++ library leaves them. A strategy that sorts by the same
	// key and breaks ties by row places them as the runtime does.
	OrderTFLite = "tflite"
)

// Profiles returns the built-in profiles, sorted by name.
func Profiles() []Profile {
	return []Profile{
		{
			Name:       "litert",
			Summary:    "TFLite/LiteRT ArenaPlanner: 64-byte offsets, inputs and unread results kept, in-place sharing, temporaries",
			Source:     "google-ai-edge/LiteRT tflite/arena_planner.cc at f67457790c9c",
			Align:      64,
			RoundSizes: 1,
			KeepInputs: true,
			KeepUnread: true,
			ExitStep:   true,
			Lends:      true,
			Kernels:    KernelsTFLite,
			InPlace:    InPlaceTFLite,
			Order:      OrderTFLite,
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
			Name:       "plain-inplace",
			Summary:    "as plain, and element-wise results take the place of an operand that is not needed any longer",
			Source:     "the rule of wzh99/HMCOS at cf547ee, src/mem/inplace.cpp",
			Align:      1,
			RoundSizes: 1,
			Variables:  true,
			InPlace:    InPlaceLastUse,
		},
		{
			Name:       "tflm",
			Summary:    "TFLite-Micro MicroAllocator: sizes rounded to 16 bytes, inputs recycled, scratch, one plan for all subgraphs",
			Source:     "tensorflow/tflite-micro tensorflow/lite/micro/micro_allocation_info.cc at 90b983c",
			Align:      16,
			RoundSizes: 16,
			EntryStep:  true,
			KeepUnused: true,
			Nested:     true,
			Offline:    true,
			Kernels:    KernelsTFLM,
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
	if p.Nested && p.Lends {
		return fmt.Errorf("profile %s: lends is about subgraphs that are planned apart, but they are nested", p.Name)
	}
	if p.Nested && p.Order != "" {
		return fmt.Errorf("profile %s: order %q is that of single subgraphs, but they are nested", p.Name, p.Order)
	}
	for _, rule := range []struct {
		field, value string
		known        []string
	}{
		{"kernels", p.Kernels, []string{KernelsTFLite, KernelsTFLM}},
		{"in_place", p.InPlace, []string{InPlaceTFLite, InPlaceLastUse}},
		{"order", p.Order, []string{OrderTFLite}},
	} {
		if rule.value != "" && !slices.Contains(rule.known, rule.value) {
			return fmt.Errorf("profile %s: %s %q is unknown; known: %s", p.Name, rule.field, rule.value, strings.Join(rule.known, ", "))
		}
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
