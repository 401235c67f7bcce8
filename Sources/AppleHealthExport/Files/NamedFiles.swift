// SPDX-License-Identifier: Apache-2.0

/// The files that the XML of an export names: routes and clinical records.
struct NamedFiles {
    /// The names as written, without the leading slash, by `key`.
    private var named: [String: String] = [:]
    /// The remaining bytes for names, so that a hostile file cannot use up the memory.
    private var room = 4 << 20

    var isEmpty: Bool { named.isEmpty }
    /// The names of the files that were not found, sorted.
    var names: [String] { named.values.sorted() }

    /// Adds the files that an element names.
    mutating func add(from element: String, _ xml: ArraySlice<UInt8>) {
        if element == "ClinicalRecord" { add("resourceFilePath", in: ImportTimes.firstTag(xml)) }
        if element == "Correlation" || element == "ActivitySummary" { return }
        let bytes = xml.span
        var at = 0
        while at < bytes.count {
            if ScanBytes.matches(bytes, at, bytes.count, "<FileReference") {
                add("path", in: ImportTimes.firstTag(xml[(xml.startIndex + at)...]))
            }
            at = ScanBytes.find(0x3C, in: bytes, at + 1, bytes.count)
        }
    }

    /// Adds the file that an attribute of a tag names.
    private mutating func add(_ attribute: String, in tag: ArraySlice<UInt8>) {
        var cursor = ElementCursor(tag)
        guard case .start(_, let attributes)? = cursor.next(),
            let path = attributes.first(where: { $0.name == attribute })?.value, path.utf8.count <= min(1_024, room)
        else { return }
        let name = path.hasPrefix("/") ? String(path.dropFirst()) : path
        if !name.isEmpty, named.updateValue(name, forKey: Self.key(name)) == nil { room -= name.utf8.count }
    }

    /// Removes a file that was found.
    mutating func remove(_ path: String) {
        if !named.isEmpty { named[Self.key(path.hasPrefix("/") ? String(path.dropFirst()) : path)] = nil }
    }

    /// Returns the text by which names are compared: file systems differ in the case of letters and in the form of
    /// accents, and equality of strings ignores the latter.
    private static func key(_ name: String) -> String { name.lowercased() }
}
