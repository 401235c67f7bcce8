// SPDX-License-Identifier: Apache-2.0

internal import CGuard

/// Advice to the system about memory that is not used any more.
package enum UnusedMemory {
    /// Returns memory that the allocator keeps for later allocations to the system. Takes about a millisecond, so it is
    /// for a program that used much memory and next needs memory in other sizes. A system without this function ignores
    /// the call.
    package static func release() { cg_release_memory() }
}

/// Advice to the system about memory that will be written for the first time.
///
/// The system allocates and clears a page of memory on its first write. With pages of 4 KiB that takes longer than
/// decoding the samples of the page. With pages of 2 MiB it takes little longer than clearing them.
package enum FreshMemory {
    /// The size of a large page in bytes.
    private static let page = 2 << 20
    /// Minimum size for which large pages are worth a system call.
    private static let least = 2 * page
    /// Minimum size for which the last large page may be partly unused.
    private static let leastRounded = 8 * page
    /// Bytes of a large page that the headers of an array and of its allocation occupy.
    private static let headers = 64

    /// Asks the system to back a range of memory with large pages, if the range is large.
    ///
    /// The advice changes no byte. It applies to the large pages inside the range, including a page of which only the
    /// allocation's headers lie outside. A system without large pages ignores the advice.
    package static func preferLargePages(at address: UInt, count: Int) {
        if count >= least { cg_prefer_large_pages(address, count) }
    }

    /// Returns the capacity, in words of 8 bytes, for an array of `count` words whose allocation ends at the end of a
    /// large page. Linux then places the allocation at the start of a large page. The result exceeds `count` by at most
    /// an eighth; for a short array it is `count`.
    package static func capacity(forWords count: Int) -> Int {
        guard count >= leastRounded / 8, count < Int.max / 16 else { return count }
        let pages = (8 * count + headers + page - 1) / page
        return (pages * page - headers) / 8
    }
}
