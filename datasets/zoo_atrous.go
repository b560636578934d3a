package datasets

import "github.com/arenalab/arenalab/graph/tflite"

// atrous counts how far a network has shrunk an image, and turns the strides
// beyond a limit into dilations of the layers after them.
type atrous struct {
	limit    int // rows of the image per row of the result, at most
	stride   int // so far
	dilation int // of the next layer
}

// next returns the stride and the dilation of a layer that has the stride in
// the network without a limit.
func (a *atrous) next(stride int) (down, dilation int) {
	dilation = a.dilation
	if a.stride*stride > a.limit {
		a.dilation *= stride
		return 1, dilation
	}
	a.stride *= stride
	return stride, dilation
}

// dilated is the window with taps that far apart.
func (w window) dilated(by int) window {
	w.dilation = by
	return w
}

// valid is the window without padding.
func (w window) valid() window {
	w.padding = tflite.Valid
	return w
}
