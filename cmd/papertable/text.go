package main

import (
	"bytes"
	"fmt"
	"math"
	"strings"
)

const head = `# The table of Pisarchyk and Lee, recomputed

Memory of intermediate tensors in MiB (2^20 bytes), float32, no alignment, graph inputs and outputs left out, operators in stored order. After Y. Pisarchyk and J. Lee, "Efficient Memory Management for Deep Neural Net Inference", 2020, [arXiv:2001.03288](https://arxiv.org/abs/2001.03288).

Made by ` + "`go run ./cmd/papertable -out results`" + ` from the builders of ` + "`datasets`" + `, which draw the networks without weights; a test keeps it current. Nothing here depends on the machine. The figures in bytes, and the SHA-256 of every lifetime table, are in [` + name + `.jsonl](` + name + `.jsonl). Every plan passed ` + "`lifetime.Check`" + `.

`

const bounds = `The bound of offsets is the most bytes live at once, and holds for every plan. The bound of objects is the sum of positional maxima: it holds for shared objects only, and a plan of offsets may be below it. Rows of shared objects give the sum of the blocks, with their number in brackets. The strategies are those of TensorFlow Lite's GPU delegate; ` + "`gpu-size-distance`" + ` is the paper's "greedy by size improved".

`

const compared = `## Beside the paper

Ours, and in brackets that of the paper if it is another to three decimals; "=" means that it is the same. Figures of the paper with "?" are quoted at second hand, not checked against its text.

`

// reasons says what the differences are; the tests hold the figures it rests on.
const reasons = `## What the differences are

- **MobileNet v1, v2.** None. The builders end in a dense layer and a softmax, whose result is counted in the place of that of the reshape in the published files: the same bytes.
- **PoseNet.** The sum, the bound and greedy by size of offsets are the paper's to the last digit, so its network is the one for several persons, multiplier 0.75, 353 rows of 257 columns, with forward and backward displacements joined into one output. What is quoted as the bound of objects is above ours, which plans of this graph meet: no bound can be higher, so that figure too is of a plan, or of another graph.
- **DeepLab v3.** The bound and greedy by size of offsets are the paper's. The sum differs by the end of the network: without the resize from 33x33 to 33x33 and with 21 channels stored as 24 it is the paper's, which fits a graph as the GPU delegate holds it. What is quoted as the bound of objects, 6.437, is the least that the blocks of any plan of this graph can have together, as a search shows: it is the figure of a plan, and the sum of positional maxima is smaller. No order that package reorder has changes that sum.
- **Inception v3.** The peak is at the third convolution, which reads 147x147x32 and writes 147x147x64 floats: 7.9135 MiB, so the quoted 7.914 is a slip in the last digit or a few bytes more. The source of the network joins the forks of the last two modules on their own; with those four concatenations merged into the next ones the sum is within 0.02 % of the paper's. Our bound of objects is below the quoted one, which two strategies come within 1 % of: like that of DeepLab v3 it may be of a plan.
- **BlazeFace.** The public network at 128x128 needs more than twice the published memory: its first two blocks alone have 64x64x24 floats in three tensors, 1.125 MiB, so the paper's was another. At 96 rows of 64 columns the bound is the paper's and the sum within 2 %, but greedy by size is not. No image of 16 to 160 rows and columns gives both the sum and the bound, so it is the network that differs, not the size alone.
`

// write returns the tables as Markdown.
func write(all []*result) []byte {
	var b bytes.Buffer
	b.WriteString(head)
	mainTable(&b, all)
	b.WriteString(bounds)
	b.WriteString(compared)
	comparison(&b, all)
	b.WriteString(reasons)
	return b.Bytes()
}

func mainTable(b *bytes.Buffer, all []*result) {
	line := func(first string, cell func(*result) string) {
		fmt.Fprintf(b, "| %s |", first)
		for _, r := range all {
			fmt.Fprintf(b, " %s |", cell(r))
		}
		b.WriteByte('\n')
	}
	line("", func(r *result) string { return r.network.title })
	b.WriteString("|---|" + strings.Repeat("--:|", len(all)) + "\n")
	line("image", func(r *result) string {
		return fmt.Sprintf("%d×%d", r.main.params.Resolution, r.main.params.Columns)
	})
	line("operators", func(r *result) string { return fmt.Sprint(r.main.ops) })
	line("tensors counted", func(r *result) string { return fmt.Sprint(r.main.tensors) })
	for _, row := range allRows() {
		if _, ok := all[0].main.bytes[row]; !ok {
			continue // a strategy that is not there
		}
		line(row, func(r *result) string {
			text := show(r.main.bytes[row])
			if n := r.main.objects[row]; n > 0 {
				text += fmt.Sprintf(" (%d)", n)
			}
			return text
		})
	}
	b.WriteByte('\n')
}

func comparison(b *bytes.Buffer, all []*result) {
	rows := allRows()[:4]
	fmt.Fprintf(b, "| network | form | %s |\n|---|---|%s\n", strings.Join(rows, " | "), strings.Repeat("--:|", len(rows)))
	for _, r := range all {
		line := func(form string, m *measurement) {
			fmt.Fprintf(b, "| %s | %s |", r.network.title, form)
			for _, row := range rows {
				fmt.Fprintf(b, " %s |", beside(m, row, r.network.published[row]))
			}
			b.WriteByte('\n')
		}
		line("as built", &r.main)
		for i := range r.forms {
			line(r.network.forms[i].title, &r.forms[i])
		}
	}
	b.WriteByte('\n')
}

// beside returns our figure and how that of the paper compares.
func beside(m *measurement, row string, paper figure) string {
	bytes, ok := m.bytes[row]
	if !ok {
		return "–"
	}
	mark := ""
	if !paper.checked {
		mark = "?"
	}
	if same(bytes, paper) {
		return show(bytes) + " =" + mark
	}
	return fmt.Sprintf("%s (%.3f%s, %+.2f %%)", show(bytes), paper.mib, mark, 100*(mib(bytes)/paper.mib-1))
}

// same reports whether the bytes are the figure, to its three decimals.
func same(bytes int64, paper figure) bool {
	return rounded(bytes) == math.Round(1000*paper.mib)/1000
}

// show returns bytes as MiB with three decimals.
func show(bytes int64) string { return fmt.Sprintf("%.3f", rounded(bytes)) }
