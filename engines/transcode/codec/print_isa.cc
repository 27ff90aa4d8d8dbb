// The JSON printer, compiled once for each instruction set.

#include "codec/print_well_known.h"

namespace transcode::TRANSCODE_ISA {
namespace {

bool Printer::Run() {
  const auto* const s = reinterpret_cast<const uint8_t*>(job_.wire.data());
  char* p = base_ + job_.out.size();
  const size_t before = job_.out.size();
  p = Room(p, 64);
  switch (job_.what) {
    case PrintJob::What::kMessage:
      p = Value(p, *job_.message, s, wire_end_);
      break;
    case PrintJob::What::kField:
      p = OneField(p, *job_.field, s, wire_end_);
      break;
    case PrintJob::What::kAny:
      p = Any(p, {s, wire_end_, 0, 0});
      break;
    case PrintJob::What::kText:
      p = String(p, s, job_.wire.size());
      break;
  }
  job_.out.SetSize(p == nullptr ? before : Offset(p));
  return p != nullptr;
}

}  // namespace

bool Print(PrintJob& job) { return Printer(job).Run(); }

}  // namespace transcode::TRANSCODE_ISA
