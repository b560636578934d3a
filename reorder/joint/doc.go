// Package joint chooses the order of operators together with the arena that a
// planner makes of it: the least peak of live bytes is only a bound on that.
//
// With a planner that is free to place buffers (Config.Evaluator is nil) it
// looks among the orders of the least peak for one that packs into just that,
// which makes order and arena optimal together. For a named greedy planner it
// searches orders with the planner in the loop, and numbers tensors as suits the
// planner's ties. It is never worse than the stored order.
//
// The package knows no planner: they come in as functions, and what they say of
// a table that graph.NewLifetimes has made has the last word.
package joint
