package bench

import (
	"strconv"
	"strings"
)

// Column is a field of Record as flat files and help texts show it. Its name is
// that of the JSON field, with "host_" before the fields of Host.
type Column struct {
	Name  string
	Doc   string
	value func(*Record) string
}

// Value returns the field of the record as text.
func (c Column) Value(r *Record) string { return c.value(r) }

// Columns returns all columns in the order of the fields of Record. The
// witness of the bound and the convergence, which are no single values, have
// none.
func Columns() []Column {
	whole := func(f func(*Record) int64) func(*Record) string {
		return func(r *Record) string { return strconv.FormatInt(f(r), 10) }
	}
	float := func(f func(*Record) float64) func(*Record) string {
		return func(r *Record) string { return strconv.FormatFloat(f(r), 'g', -1, 64) }
	}
	return []Column{
		{"schema", "version of this list of fields", whole(func(r *Record) int64 { return int64(r.Schema) })},
		{"tool", "version of the tool", func(r *Record) string { return r.Tool }},
		{"model", "name of the model or table, unique in a run; #i for subgraph i > 0", func(r *Record) string { return r.Model }},
		{"path", "file, as it was given", func(r *Record) string { return r.Path }},
		{"hash", "SHA-256 of the file", func(r *Record) string { return r.Hash }},
		{"source", "model or table", func(r *Record) string { return r.Source }},
		{"subgraph", "index of the subgraph", whole(func(r *Record) int64 { return int64(r.Subgraph) })},
		{"profile", "runtime profile, table for tables", func(r *Record) string { return r.Profile }},
		{"order", "algorithm that ordered the operators, given for tables", func(r *Record) string { return r.Order }},
		{"strategy", "planner; empty if planning was never reached", func(r *Record) string { return r.Strategy }},
		{"seed", "of random numbers", func(r *Record) string { return strconv.FormatUint(r.Seed, 10) }},
		{"ties", "how ties were broken, empty if as the strategy does", func(r *Record) string { return r.Ties }},
		{"align", "least alignment asked for in bytes, 0 if that of the profile", whole(func(r *Record) int64 { return r.Align })},
		{"decisions", "budget of searches that was asked for, 0 if their own, below 0 if none", whole(func(r *Record) int64 { return r.Decisions })},
		{"status", "optimal, feasible, timeout, infeasible or error", func(r *Record) string { return r.Status.String() }},
		{"error", "what went wrong", func(r *Record) string { return r.Error }},
		{"operators", "operators of the subgraph", whole(func(r *Record) int64 { return int64(r.Operators) })},
		{"buffers", "buffers to place", whole(func(r *Record) int64 { return int64(r.Buffers) })},
		{"arena_bytes", "size of the planned arena", whole(func(r *Record) int64 { return r.ArenaBytes })},
		{"lower_bound_bytes", "best proven lower bound on every arena", whole(func(r *Record) int64 { return r.LowerBoundBytes })},
		{"bound_kind", "argument that proves the bound", func(r *Record) string { return string(r.BoundKind) }},
		{"bound_step", "time of the bound's witness", whole(func(r *Record) int64 { return r.BoundStep })},
		{"peak_live_bytes", "most bytes live at one step", whole(func(r *Record) int64 { return r.PeakLiveBytes })},
		{"naive_bytes", "sum of all sizes", whole(func(r *Record) int64 { return r.NaiveBytes })},
		{"known_optimum_bytes", "smallest arena as the file states it, not proven; 0 if it states none", whole(func(r *Record) int64 { return r.KnownOptimum })},
		{"persistent_bytes", "variables kept outside the arena", whole(func(r *Record) int64 { return r.PersistentBytes })},
		{"order_least_bytes", "least peak that an order of the operators is known to have; 0 if not known", whole(func(r *Record) int64 { return r.OrderLeastBytes })},
		{"order_bound_bytes", "proven lower bound on the peak of any order of the operators; 0 if none is", whole(func(r *Record) int64 { return r.OrderBoundBytes })},
		{"order_ns", "time to find the order", whole(func(r *Record) int64 { return r.OrderNS })},
		{"object_count", "blocks that a planner of shared objects makes; 0 if it makes none", whole(func(r *Record) int64 { return int64(r.ObjectCount) })},
		{"object_bytes", "sum of their sizes, apart from each other", whole(func(r *Record) int64 { return r.ObjectBytes })},
		{"object_bound_bytes", "proven lower bound on that sum: the positional maxima", whole(func(r *Record) int64 { return r.ObjectBoundBytes })},
		{"gap", "(arena - bound) / bound", float(func(r *Record) float64 { return r.Gap })},
		{"fragmentation", "(arena - peak live) / arena", float(func(r *Record) float64 { return r.Fragmentation })},
		{"reuse", "1 - arena / naive", float(func(r *Record) float64 { return r.Reuse })},
		{"plan_ns", "planning time of the strategy alone, median", float(func(r *Record) float64 { return r.PlanNS })},
		{"plan_ns_low", "lower end of its 95 % interval", float(func(r *Record) float64 { return r.PlanNSLow })},
		{"plan_ns_high", "upper end of its 95 % interval", float(func(r *Record) float64 { return r.PlanNSHigh })},
		{"plan_reps", "samples of the planning time", whole(func(r *Record) int64 { return int64(r.PlanReps) })},
		{"validated", "how the plan was proven safe: kernels, replay, symbolic or check", func(r *Record) string { return r.Validated }},
		{"warnings", "what the figures do not tell, joined by \"; \"", func(r *Record) string { return strings.Join(r.Warnings, "; ") }},
		{"host_os", "operating system", func(r *Record) string { return r.Host.OS }},
		{"host_arch", "architecture", func(r *Record) string { return r.Host.Arch }},
		{"host_cpu", "processor", func(r *Record) string { return r.Host.CPU }},
		{"host_cores", "logical processors", whole(func(r *Record) int64 { return int64(r.Host.Cores) })},
		{"host_gomaxprocs", "GOMAXPROCS", whole(func(r *Record) int64 { return int64(r.Host.GOMAXPROCS) })},
		{"host_go", "version of Go", func(r *Record) string { return r.Host.Go }},
	}
}
