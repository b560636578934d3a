package joint

import "github.com/arenalab/arenalab/reorder"

// Own returns the search for an order and offsets of our own, named joint:
// plan is quick, thorough is a search that may be nil.
func Own(plan, thorough PlanFunc) Config {
	return Config{
		Info: reorder.Info{
			Name:       "joint",
			Title:      "Order and arena together",
			Summary:    "an order of the least peak that packs into just that; results that share an operand's place where it helps",
			Reference:  "github.com/arenalab/arenalab/reorder/joint; the peak by github.com/arenalab/arenalab/reorder/exact",
			Complexity: "that of the exact search; then near O(n log n) an order, up to 400 orders",
			Guarantee:  "order and offsets optimal together, if the arena that is then planned is the proven least peak",
		},
		Plan:     plan,
		Thorough: thorough,
	}
}

// For returns the search for an order that suits a greedy planner, named
// for-PLANNER. Renumber is that of Config.
func For(planner string, plan PlanFunc, evaluator func() Evaluator, renumber bool) Config {
	summary := "orders annealed with " + planner + " in the loop"
	if renumber {
		summary += ", tensors numbered to suit its ties"
	}
	return Config{
		Info: reorder.Info{
			Name:       "for-" + planner,
			Title:      "Order for " + planner,
			Summary:    summary,
			Reference:  "github.com/arenalab/arenalab/reorder/joint; annealing after S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, Science 220, 1983",
			Complexity: "O(n + m) and one plan a move, 25000 moves",
			Guarantee:  "the arena by " + planner + " is never above that of the stored order",
		},
		Plan:      plan,
		Evaluator: evaluator,
		Renumber:  renumber,
	}
}
