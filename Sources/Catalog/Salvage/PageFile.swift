// SPDX-License-Identifier: Apache-2.0

internal import CSQLiteShim

/// The pages of a catalog as of the last readable commit. Any page may be damaged, including page 1 and the log. Uses
/// SQLite only for its VFS.
@safe
final class PageFile {
    static let pageBytes = 4096
    /// The page that SQLite never uses, because it holds the lock bytes.
    static let lockPage = UInt32(1 << 30) / UInt32(pageBytes) + 1

    private let pages: OpaquePointer
    let count: UInt32
    /// The bytes of a page that SQLite uses; the rest is the trailer.
    let usable: Int
    var chains = OverflowChains()
    /// The number of page reads so far.
    private(set) var reads = 0

    /// - Parameter log: whether the log is used.
    init?(_ path: String, _ files: CatalogFile, log: Bool) {
        var opened: OpaquePointer?
        let code = unsafe csq_pages_open(
            files.vfs, path, log ? path + "-wal" : nil, files.keys?.number ?? 0, &opened)
        guard code == 0, let opened = unsafe opened else { return nil }
        usable = Self.pageBytes - Int(files.reservedBytes)
        unsafe (pages, count) = (opened, csq_pages_count(opened))
    }

    deinit { unsafe csq_pages_close(pages) }

    /// Returns the bytes of a page; nil if the page is damaged.
    func page(_ number: UInt32) -> [UInt8]? {
        reads += 1
        var bytes = [UInt8](repeating: 0, count: Self.pageBytes)
        let fault = unsafe csq_pages_read(pages, number, &bytes)
        return fault == CSQ_PAGE_SOUND ? bytes : nil
    }
}
