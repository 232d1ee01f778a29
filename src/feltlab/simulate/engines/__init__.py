"""What runs the kernels: the processor, a GPU, a Ray cluster. The same counts on each."""
