namespace transcode::TRANSCODE_ISA {}
