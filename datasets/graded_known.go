package datasets

// The plans and proofs of the tight tables of the graded set were found by an
// exact search.

func known52() *known {
	return &known{
		offsets: "845207272b049571910204390a9857540856070672834b8912ac",
		lower:   0, upper: 28, backward: true,
		buffers: []int{1, 3, 6, 7, 9, 10, 11, 13, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 29, 30, 32, 33, 34, 35, 36, 37, 39, 40, 41, 42, 43, 44, 45, 48, 49, 51},
	}
}

func known96() *known {
	return &known{
		offsets: "6296b95aab45a20961041a2234000796a8304b3240568b68bb3381a0b7b1213710479812a93315805b972b0776" +
			"8c2025",
		lower: 23, upper: 32, backward: false,
		buffers: []int{22, 32, 38, 43, 48, 56, 61, 63, 66, 67, 69, 74, 75, 77, 86, 91, 94, 95},
	}
}

func known190() *known {
	return &known{
		offsets: "08b0905a757b8046203a052b754575cb944a26a9573b89658658869215b303ba2045c10893b9a31a69b43b547a" +
			"5818b1b905792969752b2977300a0c1995167c96948287c709a032233442706279529b8126982b69a74782047a" +
			"182652408a",
		lower: 37, upper: 48, backward: true,
		buffers: []int{4, 5, 34, 60, 70, 78, 83, 110, 121, 130, 145, 146, 156, 177, 182},
	}
}
