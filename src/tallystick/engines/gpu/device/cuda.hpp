// What the device code needs of CUDA. `tests/support/gpu_host.hpp` says the same words for a plain compiler.
//
// The same code runs on both: there a block has one thread, and blocks run one after the other.

using int8_t = signed char;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using int32_t = int;
using uint32_t = unsigned int;
using int64_t = long long;
using uint64_t = unsigned long long;
using size_t = decltype(sizeof(0));

#define KERNEL extern "C" __global__ void
// A kernel of which so many blocks share a processor, and code that is not copied to where it is called.
#define KERNEL_SHARING(blocks) extern "C" __global__ void __launch_bounds__(256, blocks)
#define APART __noinline__
#define SHARED(memory) extern __shared__ __align__(16) unsigned char memory[]

namespace std {
template <class To, class From>
constexpr To bit_cast(From from) {
    return __builtin_bit_cast(To, from);
}
}  // namespace std

namespace tally {
template <class Loop>
auto run_fast(Loop loop) {
    return loop();
}

inline uint32_t thread() { return threadIdx.x; }
inline uint32_t threads() { return blockDim.x; }
inline int64_t block() { return blockIdx.x; }
inline int64_t blocks() { return gridDim.x; }
inline void barrier() { __syncthreads(); }
inline double multiply_add(double a, double b, double c) { return __fma_rn(a, b, c); }

// Added by many threads at once. Sums of whole numbers do not depend on their order.
inline void add_to(int64_t* to, int64_t more) { atomicAdd(reinterpret_cast<uint64_t*>(to), static_cast<uint64_t>(more)); }
inline void add_to(uint32_t* to, uint32_t more) { atomicAdd(to, more); }
inline uint32_t take_place(uint32_t* next) { return atomicAdd(next, 1u); }
inline void raise_to(uint64_t* to, uint64_t value) { atomicMax(to, value); }
inline void lower_to(uint64_t* to, uint64_t value) { atomicMin(to, value); }
}  // namespace tally
