// SPDX-License-Identifier: Apache-2.0

internal import CSQLiteShim

/// The pages of a catalog that may be damaged anywhere, its first page and its log included, as of the last commit that
/// can be read. SQLite has no part in it but for its file system.
@safe
final class PageFile {
    static let pageBytes = 4096
    /// The page that SQLite never uses, because its locks lie there.
    static let lockPage = UInt32(1 << 30) / UInt32(pageBytes) + 1

    private let pages: OpaquePointer
    let count: UInt32
    var chains = OverflowChains()
    /// How often a page was asked for.
    private(set) var reads = 0

    /// - Parameter log: whether the log counts.
    init?(_ path: String, vfs: String, log: Bool) {
        var opened: OpaquePointer?
        guard unsafe csq_pages_open(vfs, path, log ? path + "-wal" : nil, &opened) == 0, let opened = unsafe opened
        else { return nil }
        unsafe (pages, count) = (opened, csq_pages_count(opened))
    }

    deinit { unsafe csq_pages_close(pages) }

    /// The bytes of a page; nil if they are not what was written there.
    func page(_ number: UInt32) -> [UInt8]? {
        reads += 1
        var bytes = [UInt8](repeating: 0, count: Self.pageBytes)
        let fault = unsafe csq_pages_read(pages, number, &bytes)
        return fault == CSQ_PAGE_SOUND ? bytes : nil
    }
}
