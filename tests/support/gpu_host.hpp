// The words of src/tallystick/engines/gpu/device/cuda.hpp for a plain compiler: a block has one thread, and the caller runs
// the blocks one after the other. So the device code itself is tested where there is no GPU.

using std::int64_t;
using std::size_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

#define KERNEL extern "C" void
#define KERNEL_SHARING(blocks) KERNEL
#define APART
#define SHARED(memory) unsigned char* const memory = tally::own_memory

namespace tally {
inline int64_t block_now = 0, blocks_now = 1;
alignas(16) inline unsigned char own_memory[256 << 10];

template <class Loop>
auto run_fast(Loop loop) {
    return loop();
}

inline uint32_t thread() { return 0; }
inline uint32_t threads() { return 1; }
inline int64_t block() { return block_now; }
inline int64_t blocks() { return blocks_now; }
inline void barrier() {}
inline double multiply_add(double a, double b, double c) { return __builtin_fma(a, b, c); }

inline void add_to(int64_t* to, int64_t more) {
    *to = static_cast<int64_t>(static_cast<uint64_t>(*to) + static_cast<uint64_t>(more));
}
inline void add_to(uint32_t* to, uint32_t more) { *to += more; }
inline uint32_t take_place(uint32_t* next) { return (*next)++; }
inline void raise_to(uint64_t* to, uint64_t value) { *to = value > *to ? value : *to; }
inline void lower_to(uint64_t* to, uint64_t value) { *to = value < *to ? value : *to; }
}  // namespace tally

extern "C" void set_block(int64_t block, int64_t blocks) { tally::block_now = block, tally::blocks_now = blocks; }
