// SPDX-License-Identifier: Apache-2.0

import FileSystem
package import Foundation
package import HealthModel
package import UniformTypeIdentifiers

/// The arguments of an addition, checked, and the file to copy.
package struct AttachmentDraft: Sendable {
    /// The maximum number of bytes of an attachment.
    package static let maximumBytes = 50 << 20
    /// The maximum length of a name, and of all metadata, in bytes.
    static let maximumNameBytes = 4_096
    static let maximumMetadataBytes = 1 << 20

    let name: String
    let contentType: UTType
    /// The encoded metadata; nil without entries.
    let metadata: [UInt8]?
    private let path: String

    /// Checks the arguments; opens no file.
    ///
    /// - Throws: `errorInvalidArgument`.
    package init(
        name: String, contentType: UTType, url: URL, metadata: HealthMetadataValues
    ) throws(HKError) {
        guard name.utf8.count <= Self.maximumNameBytes, !name.utf8.contains(0) else {
            throw Self.refusal(
                "the name has a NUL character, or more than \(Self.maximumNameBytes) bytes", "name",
                "choose a shorter name")
        }
        guard Self.isAttachable(contentType) else {
            throw Self.refusal(
                "the content type \(contentType) cannot be attached", "contentType",
                "attach a static image or a PDF document")
        }
        guard url.isFileURL, !url.path.isEmpty, !url.path.utf8.contains(0) else {
            throw Self.refusal("the URL does not name a local file", "url", "give the URL of a local file")
        }
        try Self.check(metadata)
        self.name = name
        self.contentType = contentType
        path = url.path
        if metadata.isEmpty {
            self.metadata = nil
        } else {
            var writer = MetadataWriter()
            writer.write(metadata)
            self.metadata = writer.bytes
        }
    }

    /// Takes the content type from the extension of a file's name.
    ///
    /// - Parameter name: nil for the name of the file.
    /// - Throws: `errorInvalidArgument`.
    package init(file path: String, name: String?) throws(HKError) {
        let url = URL(fileURLWithPath: path)
        guard let type = UTType(filenameExtension: url.pathExtension) else {
            throw Self.refusal(
                "the extension of the file's name is not that of an image or PDF document", path,
                "rename the file, for example to scan.pdf")
        }
        try self.init(name: name ?? url.lastPathComponent, contentType: type, url: url, metadata: [:])
    }

    /// Whether files of a type can be attached.
    static func isAttachable(_ type: UTType) -> Bool {
        type == .pdf || type.conforms(to: .image) && !type.conforms(to: .gif)
    }

    private static func refusal(_ reason: String, _ place: String, _ advice: String) -> HKError {
        HKError(.errorInvalidArgument, reason: reason, place: place, advice: advice)
    }

    private static func check(_ metadata: HealthMetadataValues) throws(HKError) {
        var bytes = 0
        for (key, value) in metadata {
            bytes += key.utf8.count
            if case .string(let text) = value { bytes += text.utf8.count }
        }
        guard bytes <= maximumMetadataBytes else {
            throw refusal(
                "the metadata has \(bytes) bytes, the limit is \(maximumMetadataBytes)", "metadata",
                "remove or shorten values")
        }
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            let isStorable =
                switch value {
                case .string, .boolean, .integer, .unsigned: !key.isEmpty
                case .real(let number): !key.isEmpty && number.isFinite
                case .date(let date): !key.isEmpty && date.timeIntervalSinceReferenceDate.isFinite
                case .quantity, .data, .unsupported: false
                }
            if isStorable { continue }
            throw refusal(
                "the key is empty, or the value is \(value.kindName) or not finite", "metadata[\(key)]",
                "give a string, a finite number or a date, under a key")
        }
    }

    /// Reads the file in pieces of 64 KiB.
    ///
    /// - Throws: `errorInvalidArgument` for a file that cannot be read, `errorDataSizeExceeded`, and the errors of
    ///   `body`.
    func read(_ body: (_ bytes: [UInt8], _ range: Range<Int>) throws -> Void) throws {
        let source: any DiskFile
        let size: UInt64
        do throws(DiskError) {
            source = try RealDisk().open(path, writable: false)
            size = try source.size()
        } catch {
            throw unreadable(error)
        }
        defer { try? source.close() }
        guard size <= UInt64(Self.maximumBytes) else { throw tooLarge }
        var buffer: [UInt8] = []
        var position = 0
        while true {
            let count: Int
            do throws(DiskError) {
                count = try source.read(at: UInt64(position), count: 65_536, into: &buffer, offset: 0)
            } catch {
                throw unreadable(error)
            }
            if count == 0 { return }
            position += count
            // The file may grow meanwhile.
            guard position <= Self.maximumBytes else { throw tooLarge }
            try body(buffer, 0..<count)
        }
    }

    private var tooLarge: HKError {
        HKError(
            .errorDataSizeExceeded, reason: "the file has more than \(Self.maximumBytes) bytes", place: path,
            advice: "attach a smaller file")
    }

    private func unreadable(_ error: DiskError) -> HKError {
        Self.refusal("the file cannot be read: \(error)", path, "give the URL of a readable regular file")
    }
}
