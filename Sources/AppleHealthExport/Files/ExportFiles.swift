// SPDX-License-Identifier: Apache-2.0

/// A file of an export: in an archive or in a folder.
protocol ExportFile {
    /// The path in the archive or folder, with `/` as separator.
    var name: String { get }
    /// The last part of the name.
    var lastName: Substring { get }
    /// The name's extension in lower case; empty if it is long.
    var fileType: String { get }
    /// The length in bytes, decompressed.
    var size: UInt64 { get }
    /// The offset of the file in its archive; nil in a folder.
    var archiveOffset: UInt64? { get }
}

extension ExportFile {
    /// Whether it is a file that operating systems add to archives and folders without a purpose here.
    var isClutter: Bool {
        name.hasPrefix("__MACOSX/") || lastName.hasPrefix("._") || lastName == ".DS_Store" || lastName == "Thumbs.db"
    }
}

/// The files of an export: an archive, or the folder of an unpacked archive.
protocol ExportFiles {
    associatedtype File: ExportFile

    var limits: ExportLimits { get }
    /// The name of the place in messages: `a zip archive`.
    var noun: String { get }

    /// Returns the bytes of a file.
    ///
    /// - Parameter total: the total for progress; nil for the length of the file.
    func source(of file: File, total: UInt64?) throws(ExportError) -> any ByteSource

    /// Returns the bytes of a document, which is read at once.
    func document(_ file: File) throws(ExportError) -> any ByteSource

    /// Returns the text and the offset of an error that concerns one file only; nil for an error that ends the reading.
    func damage(_ error: ExportError) -> (what: String, offset: UInt64?)?
}

extension ExportFiles {
    func document(_ file: File) throws(ExportError) -> any ByteSource { try source(of: file, total: nil) }
}

/// The parts of a file's name. Split by bytes, because an archive may have very many long names.
enum ExportFileName {
    /// Returns the last part of a name, and the extension in lower case, which is empty if it is long.
    static func parts(of name: String) -> (last: Substring, fileType: String) {
        let last = Substring(name.utf8.split(separator: 0x2F).last ?? "".utf8[...])
        let ending = last.utf8.lastIndex(of: 0x2E).map { last[$0...].dropFirst() } ?? ""
        return (last, ending.utf8.count > 16 ? "" : ending.lowercased())
    }

    /// Returns a name for a message: shortened, and without control characters.
    static func shown(_ name: String) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.prefix(80).map { $0.value < 0x20 ? "?" : $0 }))
    }
}
