// SPDX-License-Identifier: Apache-2.0

import Kernels

@testable import Kymograph

/// Small records with a checksum: the anchor of a change feed, the list of a backup, the witness beside a catalog.
///
/// If the first byte is below 224, the checksum of the input is corrected before it is read, because a random one never
/// fits.
enum NoteTargets {
    static let all = [
        target("anchor", 96, "an anchor's text gives the same anchor; other texts are refused", anchors, anchor),
        target("backup-list", 1024, "a list of a backup reads as written; no name leaves the backup", lists, list),
        target("witness", 80, "a witness is about one store and one commit, or about none", witnesses, witness),
    ]

    private static func target(
        _ name: String, _ length: Int, _ asserts: String, _ seeds: [[UInt8]],
        _ run: @escaping @Sendable ([UInt8]) -> Void
    ) -> Target {
        Target(
            name: name, maximumLength: length, variants: 31, asserts: asserts, seeds: { _ in seeds.map { [0] + $0 } },
            run: each(run))
    }

    private static func isSealed(_ bytes: [UInt8]) -> Bool { bytes.first.map { $0 < 224 } ?? false }

    private static func littleEndian(_ sum: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
    }

    // MARK: Anchors

    private static let store = [UInt8](1...16)

    private static var anchors: [[UInt8]] {
        let place = ChangeAnchor.Place(through: 1 << 40, series: 7, start: -1)
        return [
            ChangeAnchor(store: store, epoch: 0, commit: 0), ChangeAnchor(store: store, epoch: -3, commit: 300),
            ChangeAnchor(store: store, epoch: 5, commit: 9, place: place),
        ].map { anchor in
            let digits = Array(anchor.text.utf8)
            return stride(from: 0, to: digits.count - 8, by: 2).compactMap {
                UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
            }
        }
    }

    private static func anchor(_ bytes: [UInt8]) {
        var text = String(decoding: bytes.dropFirst(), as: UTF8.self)
        if isSealed(bytes) {
            let body = Array(bytes.dropFirst())
            let whole = body + littleEndian(Kernel.crc32c(body, 0..<body.count))
            text = whole.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        guard let anchor = ChangeAnchor(text: text) else { return }
        require(ChangeAnchor(text: anchor.text) == anchor, "\(text) is \(anchor.text)")
        require(anchor.sequence >= 0, "commit \(anchor.sequence)")
    }

    // MARK: Lists of backups

    private static var lists: [[UInt8]] {
        let files = [
            BackupManifest.File(name: "catalog-12-0a0b0c0d.sqlite", bytes: 4_096, checksum: 7),
            BackupManifest.File(name: "segments/00-1f.kseg", bytes: .max, checksum: .max),
        ]
        let list = BackupManifest(store: "01020304", commit: 12, files: files).encoded()
        return [Array(list.dropLast("end 00000000\n".utf8.count))]
    }

    private static func list(_ bytes: [UInt8]) {
        var list = Array(bytes.dropFirst())
        if isSealed(bytes) { list += Array("end \(BackupManifest.hex(Kernel.crc32c(list, 0..<list.count)))\n".utf8) }
        guard let read = try? BackupManifest.decode(list, path: "list") else { return }
        for file in read.files {
            require(!file.name.contains("..") && !file.name.hasPrefix("/"), "a file is called \(file.name)")
        }
        let again = try? BackupManifest.decode(read.encoded(), path: "list")
        require(again == read, "reads as \(String(describing: again)) after rewriting, not \(read)")
    }

    // MARK: Witnesses

    private static var witnesses: [[UInt8]] {
        let once = Array("KYMOWITN".utf8) + store + [9, 0, 0, 0, 0, 0, 0, 0]
        return [once, once + once]
    }

    private static func witness(_ bytes: [UInt8]) {
        var note = Array(bytes.dropFirst())
        if isSealed(bytes) {
            let body = Witness.size - 4
            note = stride(from: 0, to: note.count, by: body).flatMap { at -> [UInt8] in
                let part = Array(note[at..<min(at + body, note.count)])
                return part + littleEndian(Kernel.crc32c(part, 0..<part.count))
            }
        }
        let statement = Witness.Statement(bytes: note)
        guard let named = statement.store else { return }
        guard case .commit(let seq, _) = statement.testimony(for: named) else {
            finding("a witness names a store without testimony for it")
        }
        require(
            statement.lastCommit == seq, "the last commit is \(String(describing: statement.lastCommit)), not \(seq)")
        let other = named.map { ~$0 }
        if case .commit = statement.testimony(for: other) { finding("a witness is about two stores") }
    }
}
