package bench

import (
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/reorder/proof"
)

// SchemaVersion is the version of Record. It grows when a field changes its
// meaning or goes; new fields do not change it.
const SchemaVersion = 1

// Record is the result of one cell of the matrix: a model or table, an order,
// a profile, a strategy. One record is one JSON line. Bytes and nanoseconds
// are in the names.
type Record struct {
	Schema int    `json:"schema"`
	Tool   string `json:"tool"` // version of the tool

	Model    string `json:"model"`              // unique name in this run; "#i" is added for subgraph i > 0
	Path     string `json:"path"`               // file, as it was given
	Hash     string `json:"hash"`               // hex SHA-256 of the file
	Source   string `json:"source"`             // "model" or "table"
	Subgraph int    `json:"subgraph"`           // 0 for tables
	Profile  string `json:"profile"`            // runtime profile, or "table"
	Order    string `json:"order"`              // reorderer, or "given" for tables
	Strategy string `json:"strategy,omitempty"` // empty if planning was never reached
	Seed     uint64 `json:"seed"`
	Ties     string `json:"ties,omitempty"` // how ties were broken, empty if as the strategy does
	Align    int64  `json:"align"`          // least alignment asked for, 0 if that of the profile
	// Decisions is the budget of searches for plans and orders that was asked
	// for: 0 their own, below 0 none.
	Decisions int64 `json:"decisions,omitempty"`

	Status lifetime.Status `json:"status"`
	Error  string          `json:"error,omitempty"`

	Operators       int                `json:"operators"`
	Buffers         int                `json:"buffers"`
	ArenaBytes      int64              `json:"arena_bytes"`
	LowerBoundBytes int64              `json:"lower_bound_bytes"`
	BoundKind       lifetime.BoundKind `json:"bound_kind,omitempty"`
	BoundStep       int64              `json:"bound_step"`      // time of the witness
	Bound           *lifetime.Bound    `json:"bound,omitempty"` // the whole proof of LowerBoundBytes; not in flat files
	PeakLiveBytes   int64              `json:"peak_live_bytes"`
	NaiveBytes      int64              `json:"naive_bytes"`                   // sum of sizes
	KnownOptimum    int64              `json:"known_optimum_bytes,omitempty"` // as the file states it, not proven; 0 if it does not
	PersistentBytes int64              `json:"persistent_bytes"`

	// Of the operators in any order: the least peak that an order is known to
	// have, and a proven lower bound on it; 0 if there is none. An order whose
	// PeakLiveBytes equal the bound is as good as any, and so is a plan of such
	// an arena.
	OrderLeastBytes int64        `json:"order_least_bytes,omitempty"`
	OrderBoundBytes int64        `json:"order_bound_bytes,omitempty"`
	OrderBound      *proof.Bound `json:"order_bound,omitempty"` // the whole proof; not in flat files
	OrderNS         int64        `json:"order_ns,omitempty"`    // time to find the order

	// Of planners that share whole blocks of memory, which a runtime may also
	// allocate apart; ArenaBytes are those of the blocks laid end to end. The
	// bound is that of all such planners: one of offsets may need less.
	ObjectCount      int   `json:"object_count,omitempty"`
	ObjectBytes      int64 `json:"object_bytes,omitempty"`       // sum of the sizes of the blocks
	ObjectBoundBytes int64 `json:"object_bound_bytes,omitempty"` // sum of the positional maxima

	Gap           float64 `json:"gap"`           // (arena - bound) / bound
	Fragmentation float64 `json:"fragmentation"` // (arena - peak live) / arena
	Reuse         float64 `json:"reuse"`         // 1 - arena / naive

	// The strategy alone, per call: the median of PlanReps samples, and its
	// confidence interval of at least 95 %. Fewer than 6 samples have none:
	// then Low and High are the smallest and the largest sample. If there is no
	// plan, the time until that was clear.
	PlanNS     float64 `json:"plan_ns"`
	PlanNSLow  float64 `json:"plan_ns_low"`
	PlanNSHigh float64 `json:"plan_ns_high"`
	PlanReps   int     `json:"plan_reps"`

	// Samples are the PlanReps samples in the order they were taken, in
	// nanoseconds per call. They are not kept in files of records.
	Samples []float64 `json:"-"`

	// Convergence is what a search said each time one of its bounds improved.
	// It is not in flat files.
	Convergence []Improvement `json:"convergence,omitempty"`

	Validated string   `json:"validated,omitempty"` // how: "kernels", "replay", "symbolic", "check"; see executor.Result
	Warnings  []string `json:"warnings,omitempty"`
	Host      Host     `json:"host"`
}

// Improvement is the state of a search after its arena shrank or its lower
// bound rose. The bound is as the search states it, not checked.
type Improvement struct {
	Decisions       int64 `json:"decisions"` // placements tried until then
	NS              int64 `json:"ns"`        // since the start of the strategy
	ArenaBytes      int64 `json:"arena_bytes"`
	LowerBoundBytes int64 `json:"lower_bound_bytes"`
}

// Safe reports whether the record is of a plan that passed validation.
func (r *Record) Safe() bool {
	return (r.Status == lifetime.Feasible || r.Status == lifetime.Optimal) && r.Validated != ""
}

// Host says where times were measured.
type Host struct {
	OS         string `json:"os"`
	Arch       string `json:"arch"`
	CPU        string `json:"cpu"`
	Cores      int    `json:"cores"`
	GOMAXPROCS int    `json:"gomaxprocs"`
	Go         string `json:"go"`
}
