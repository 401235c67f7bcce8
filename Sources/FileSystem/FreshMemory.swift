// SPDX-License-Identifier: Apache-2.0

internal import CGuard

/// Advice to the system about memory that is about to be filled for the first time.
///
/// The system supplies and clears a page of memory when it is first written. With pages of 4 KiB that takes longer than
/// decoding the samples of the page. With pages of 2 MiB it takes little longer than clearing them.
package enum FreshMemory {
    /// The bytes of a large page.
    private static let page = 2 << 20
    /// Bytes from which on large pages are worth a system call.
    private static let least = 2 * page
    /// Bytes from which on the last large page may be partly unused.
    private static let leastRounded = 8 * page
    /// Bytes of a large page that the headers of an array and of its allocation need.
    private static let headers = 64

    /// Asks the system to back a piece of memory with large pages, if the piece is large.
    ///
    /// The advice changes no byte. It concerns the pages that lie inside of the piece, or do so but for the headers of
    /// the allocation. A system without large pages ignores the advice.
    package static func preferLargePages(at address: UInt, count: Int) {
        if count >= least { cg_prefer_large_pages(address, count) }
    }

    /// The words of 8 bytes to allocate for an array of `count` words so that its allocation ends where a large page
    /// ends. Linux then places the allocation at the start of a large page. At most an eighth more than `count`;
    /// `count` itself for a short array.
    package static func capacity(forWords count: Int) -> Int {
        guard count >= leastRounded / 8, count < Int.max / 16 else { return count }
        let pages = (8 * count + headers + page - 1) / page
        return (pages * page - headers) / 8
    }
}
