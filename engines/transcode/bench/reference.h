#pragma once

namespace transcode::bench {

// Registers the published families, those that all engines share, and those of the reference:
//   BM_...FromJson, BM_...FromGrpc  further kinds of messages
//   BM_CodecVariant...              one option of the codec changed
//   BM_SegmentedAny                 a document in chunks of so many bytes
//   BM_BadInput                     the time until an error is reported
//   BM_RouteMatch                   a path among so many rules
void RegisterReference();

}  // namespace transcode::bench
