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

    /// - Parameters:
    ///   - log: whether the log counts.
    ///   - copy: what a copy of the log has behind the name, which counts in its place.
    init?(_ path: String, vfs: String, log: Bool, copy: String? = nil) {
        var opened: OpaquePointer?
        let place = log ? path + (copy ?? "-wal") : nil
        let start = copy == nil ? 0 : Int64(KYMO_COPY_HEADER)
        guard unsafe kymo_pages_open(vfs, path, place, start, &opened) == 0, let opened = unsafe opened
        else { return nil }
        unsafe (pages, count) = (opened, kymo_pages_count(opened))
    }

    deinit { unsafe kymo_pages_close(pages) }

    /// The bytes of a page; nil if they are not what was written there.
    func page(_ number: UInt32) -> [UInt8]? {
        reads += 1
        var bytes = [UInt8](repeating: 0, count: Self.pageBytes)
        let fault = unsafe kymo_pages_read(pages, number, &bytes)
        return fault == KYMO_PAGE_SOUND ? bytes : nil
    }
}
