// SPDX-License-Identifier: Apache-2.0

import Catalog
import Cipher
import FileSystem
import Kernels

/// The content of a backup, stored in the file that makes a directory a backup. `Docs/Format/Backup.md` describes the
/// bytes.
struct BackupManifest: Equatable {
    static let name = "MANIFEST"
    /// The name of the file that marks a directory for a backup. Backups and checks of the directory lock it.
    static let mark = "BACKUP"
    private static let title = "kymograph backup "
    /// The newest version. A backup of an encrypted store without its keys has version 4, with its keys version 3; one
    /// with attached files has version 2, any other version 1.
    static let version = 4
    /// The maximum size of a manifest that is read, in bytes.
    private static let longest = 64 << 20

    struct File: Equatable {
        /// The path relative to the backup's directory.
        var name: String
        var bytes: UInt64
        /// The CRC-32C of all bytes.
        var checksum: UInt32
    }

    /// The store's id, as the text of a UUID.
    var store: String
    var commit: Int64
    /// The catalog, the segments and attached files that it names, and the keys of an encrypted store if they are in
    /// the backup.
    var files: [File]
    /// The authentication code of the backup of an encrypted store, as hexadecimal text.
    var mac: String?

    var catalog: File? { files.first { Self.isCatalog($0.name[...]) } }
    /// Whether the backup is that of an encrypted store.
    var isEncrypted: Bool { mac != nil }
    /// The two equal copies of the keys of an encrypted store; empty if the backup was made without them.
    var keys: [File] { files.filter { Self.isKeys($0.name[...]) } }
    var segments: [File] { files.filter { $0.name.hasPrefix("segments/") } }
    var attached: [File] { files.filter { $0.name.hasPrefix("attachments/") } }
    /// The total size of all files.
    var bytes: UInt64 { Self.sum(files.map(\.bytes)) }

    /// Returns the sum of file sizes, clamped to `UInt64.max`.
    static func sum(_ lengths: [UInt64]) -> UInt64 {
        lengths.reduce(0) { sum, length in
            let (all, isTooMuch) = sum.addingReportingOverflow(length)
            return isTooMuch ? .max : all
        }
    }

    /// The lines that the authentication code covers.
    private func body(isEncrypted: Bool) -> String {
        let version = isEncrypted ? (keys.isEmpty ? 4 : 3) : attached.isEmpty ? 1 : 2
        var text = "\(Self.title)\(version)\nstore \(store)\ncommit \(commit)\n"
        for file in files { text += "file \(Self.hex(file.checksum)) \(file.bytes) \(file.name)\n" }
        return text
    }

    func encoded() -> [UInt8] {
        let bytes = Array((body(isEncrypted: isEncrypted) + (mac.map { "mac \($0)\n" } ?? "")).utf8)
        return bytes + Array("end \(Self.hex(Kernel.crc32c(bytes, 0..<bytes.count)))\n".utf8)
    }

    /// Returns nil if the bytes are not a complete manifest.
    /// - Throws: `newerFormat`.
    static func decode(_ bytes: [UInt8], path: String) throws(StoreError) -> BackupManifest? {
        let end = "end 00000000\n".utf8.count
        guard bytes.count > end, bytes.last == UInt8(ascii: "\n") else { return nil }
        let body = bytes.count - end
        let text = String(decoding: bytes[..<body], as: UTF8.self)
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        guard let first = lines.popFirst(), first.hasPrefix(title), let version = Int(first.dropFirst(title.count))
        else { return nil }
        guard version <= Self.version else {
            throw StoreError(
                .newerFormat, "the backup has format \(version); this version reads up to \(Self.version)", path: path)
        }
        let sum = Kernel.crc32c(bytes, 0..<body)
        guard Array(bytes[body...]) == Array("end \(hex(sum))\n".utf8) else { return nil }
        guard let store = lines.popFirst(), store.hasPrefix("store "), let commit = lines.popFirst(),
            commit.hasPrefix("commit "), let number = Int64(commit.dropFirst(7)), lines.popLast() == ""
        else { return nil }
        var files = [File]()
        var mac: String?
        if version >= 3, let last = lines.popLast(), last.hasPrefix("mac ") { mac = String(last.dropFirst(4)) }
        for line in lines {
            guard let file = file(line) else { return nil }
            files.append(file)
        }
        let manifest = BackupManifest(store: String(store.dropFirst(6)), commit: number, files: files, mac: mac)
        let keys = files.count { isKeys($0.name[...]) }
        guard keys == (version == 3 ? 2 : 0), (mac != nil) == (version >= 3) else { return nil }
        // No disk holds files of this total size.
        guard manifest.bytes <= UInt64(Int64.max) else { return nil }
        return files.count { isCatalog($0.name[...]) } == 1 ? manifest : nil
    }

    // MARK: Authentication

    /// Returns the manifest with its authentication code.
    func authenticated(by keys: StoreKeys?) throws(StoreError) -> BackupManifest {
        var manifest = self
        manifest.mac = try code(keys)
        return manifest
    }

    /// Throws `forged` if the manifest was not written with the store's keys.
    func verify(_ keys: StoreKeys?, path: String) throws(StoreError) {
        guard let keys, try code(keys) != mac else { return }
        throw StoreError(
            .forged,
            "the backup's manifest has the right checksum, but was not written with the store's key: another program "
                + "changed it; use another backup", path: path)
    }

    private func code(_ keys: StoreKeys?) throws(StoreError) -> String? {
        guard let keys else { return nil }
        let text = body(isEncrypted: true)
        let code = try inCipher { () throws(CipherError) in
            try Derivation.hmac(try keys.ring.manifestKey(), Array(text.utf8))
        }
        return code.map { Self.twoDigits($0) }.joined()
    }

    private static func twoDigits(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

    private static func file(_ line: Substring) -> File? {
        let parts = line.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "file", let checksum = UInt32(parts[1], radix: 16),
            let bytes = UInt64(parts[2]), isName(parts[3])
        else { return nil }
        return File(name: String(parts[3]), bytes: bytes, checksum: checksum)
    }

    /// Whether the files besides the catalog are exactly those of a catalog.
    func names(_ image: CatalogImage, _ attached: [AttachedFileRow]) -> Bool {
        let wanted =
            image.liveSegments.map { "segments/" + StoreLayout.name($0.uuid) + ".kseg" }
            + attached.map { "attachments/" + StoreLayout.attachedName($0.uuid) }
        return Set(wanted) == Set(files.map(\.name).filter { $0.contains("/") })
    }

    /// Returns true if a name is valid in a backup, and does not lead out of its directory.
    static func isName(_ name: Substring) -> Bool {
        func isPlain(_ text: Substring) -> Bool {
            !text.isEmpty && text.utf8.allSatisfy { $0 == 0x2D || 0x30...0x39 ~= $0 || 0x61...0x7A ~= $0 }
        }
        if name.hasPrefix("segments/"), name.hasSuffix(".kseg") { return isPlain(name.dropFirst(9).dropLast(5)) }
        if DraftDirectory.Use.isAttached(String(name)) { return !name.hasSuffix(".new") }
        if isKeys(name) { return isPlain(name.dropFirst(keysPrefix.count)) }
        return isCatalog(name) && isPlain(name.dropFirst(8).dropLast(7))
    }

    /// The name of the keys of an encrypted store begins with this; number and checksum follow.
    private static let keysPrefix = "KEYS-"

    private static func isCatalog(_ name: Substring) -> Bool {
        name.hasPrefix("catalog-") && name.hasSuffix(".sqlite")
    }

    /// Whether a name is that of the keys of an encrypted store.
    static func isKeys(_ name: Substring) -> Bool { name.hasPrefix(keysPrefix) }

    /// Returns the names of the two copies of keys with a content.
    static func keysNames(_ number: UInt64, _ checksum: UInt32) -> [String] {
        let name = "\(keysPrefix)\(number)-\(hex(checksum))"
        return [name, name + "-2"]
    }

    /// Returns the manifest of a directory; nil if there is none.
    static func read(_ root: String, _ disk: any Disk) throws(StoreError) -> BackupManifest? {
        let path = root + "/" + name
        guard try onDisk({ () throws(DiskError) in try disk.exists(path) }) else { return nil }
        let bytes = try onDisk { () throws(DiskError) in try disk.contents(of: path, limit: longest) }
        guard let manifest = try decode(bytes, path: path) else {
            throw StoreError(
                .corrupt, "the backup's manifest is damaged; use another backup, or make one in another directory",
                path: path)
        }
        return manifest
    }

    /// Returns true if a directory holds a complete or incomplete backup, and no store.
    static func isBackup(_ root: String, _ disk: any Disk) throws(StoreError) -> Bool {
        try onDisk { () throws(DiskError) in
            if try disk.exists(StoreLayout(root: root).catalog) { return false }
            if try disk.kind(of: root + "/" + mark) == .file { return true }
            guard try disk.kind(of: root + "/" + name) == .file else { return false }
            var head: [UInt8] = []
            let file = try disk.open(root + "/" + name, writable: false)
            defer { try? file.close() }
            let count = try file.read(at: 0, count: title.utf8.count, into: &head, offset: 0)
            return head.prefix(count).elementsEqual(title.utf8)
        }
    }

    /// Throws `isBackup` if a directory holds a backup.
    static func refuse(_ root: String, _ disk: any Disk) throws(StoreError) {
        guard try isBackup(root, disk) else { return }
        guard try onDisk({ () throws(DiskError) in try disk.exists(root + "/" + name) }) else {
            throw incomplete(root)
        }
        throw StoreError(
            .isBackup, "this is a backup, not a store; create a store from it: `kymo restore BACKUP STORE`", path: root)
    }

    /// Returns the error for a directory that has the mark of a backup but no manifest.
    static func incomplete(_ root: String) -> StoreError {
        StoreError(
            .isBackup, "the backup was never completed, or its \(name) is lost; make the backup again", path: root)
    }

    /// The name of the manifest until it is durable.
    static func draft(_ root: String) -> String { root + "/" + name + ".new" }

    /// Renames the manifest durably. At this moment the directory becomes a backup of the commit.
    static func publish(_ root: String, _ disk: any Disk) throws(StoreError) {
        try onDisk { () throws(DiskError) in
            try disk.rename(draft(root), to: root + "/" + name)
            try disk.syncDirectory(root)
        }
    }

    static func hex(_ number: UInt32) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
