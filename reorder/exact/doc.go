// Package exact finds orders of the operators of a subgraph that need the least
// memory, and brackets that say how far from it an order can be at most.
//
// Solve composes what the package has. It cuts the graph at the states that
// every order comes to; finds first orders in depth and by lists; then searches
// orders within budgets between the bounds, while package bound looks for bounds
// that have a witness. Both work side by side and tell each other what they know
// at fixed counts of work, so results do not depend on the machine.
//
// A state is the set of operators that have run. Of the states a budget allows
// to reach, three facts leave few to look at:
//
//   - An operator that fits the budget and adds nothing to the live bytes may
//     run at once (walk.settle).
//   - From the states between two, one of which can be reached from the other,
//     that with the least live bytes may be gone to at once, and every other way
//     on be dropped (valley). This is the hill and valley of optimal traversals
//     of trees, without the tree.
//   - All of it holds back in time as well, and graphs that are hard one way
//     are often easy the other way (probe).
//
// What the searches prove is exact: states are compared in full, and those that
// do not fit in memory are looked at again.
package exact
