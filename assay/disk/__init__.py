"""A magnetic disk emulated in user space: a seek model behind FUSE, a loop device and ext4."""
