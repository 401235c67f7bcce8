// SPDX-License-Identifier: Apache-2.0

import Bytes
import Catalog
import Cipher
import FileSystem

/// The keys of the store or backup to which a path belongs, opened if a key is given.
struct DumpKeys {
    /// How a user gives the key.
    static let hint = "give its key with --key-file FILE or KYMO_KEY_FILE"

    /// The directory with the files of keys.
    let directory: String
    /// The newest sound copy of the keys; nil if the directory has none.
    private(set) var image: KeysImage?
    /// The decrypted keys; nil without a key.
    private(set) var ring: KeyRing?
    /// The reason why existing files of keys are unusable.
    private(set) var problem: String?
    /// The names of copies that are missing, damaged or older.
    private var outdated: [String] = []

    /// Whether the directory has files of keys, sound or not.
    var exist: Bool { image != nil || problem != nil }
    /// The damage of the files of keys as text.
    var problems: [String] {
        outdated.map { "\($0): this copy of the keys is missing, damaged or older; opening for writing mends it" }
            + (problem.map { [$0] } ?? [])
    }
    /// How to see encrypted content.
    var advice: String {
        if exist { return Self.hint }
        return "\(directory) has no KEYS: restore them, or dump a segment in the directory of its store"
    }

    /// Reads the keys of a store directory, or of the store in whose folder `segments` a file is.
    ///
    /// - Parameter file: the file of `--key-file`; nil for the key that the environment names.
    /// - Throws: for a wrong key, for a key without files of keys, and for files that cannot be read.
    init(of path: String, isDirectory: Bool, file: String?) throws(DumpFailure) {
        directory = isDirectory ? path : Self.parent(of: Self.parent(of: path))
        do throws(CipherError) { try find() } catch {
            guard error.kind == .corrupt else { throw DumpFailure(error) }
            problem = error.description
        }
        let environment = EnvironmentKey()
        if let file {
            guard exist else {
                throw DumpFailure(
                    message: "\(directory) has no KEYS, so --key-file opens nothing: leave it out for a plain store; "
                        + "if the store was encrypted, restore its KEYS; dump a segment in the directory of its store")
            }
            try open(KeyFile(file))
        } else if !environment.isEmpty {
            try open(environment)
        }
    }

    private static func parent(of path: String) -> String {
        var path = path[...]
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        let slash = path.lastIndex(of: "/")
        let name = slash.map { path[path.index(after: $0)...] } ?? path
        if name == "." || name == ".." { return path + "/.." }
        guard let slash else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private mutating func find() throws(CipherError) {
        guard let found = try KeysFiles(RealDisk(), directory).read() else { return try findInBackup() }
        image = found.image
        outdated = found.outdated
    }

    /// Reads the keys of a backup, whose names have a number and a checksum.
    private mutating func findInBackup() throws(CipherError) {
        // A directory that cannot be listed is not that of a backup.
        let names = ((try? RealDisk().list(directory)) ?? []).filter { $0.hasPrefix("KEYS-") }
        for name in names.sorted() {
            let path = directory + "/" + name
            do throws(CipherError) {
                let bytes: [UInt8]
                do throws(DiskError) {
                    bytes = try RealDisk().contents(of: path, limit: KeysImage.maximumBytes)
                } catch {
                    guard error.isDamage || error.errno == DiskError.fileTooLarge else { throw CipherError(error) }
                    throw CipherError(.corrupt, error.description, path: path)
                }
                let found = try KeysImage.decode(bytes, path: path)
                if found.number > image?.number ?? 0 { image = found }
            } catch {
                guard error.kind == .corrupt else { throw error }
                outdated.append(name)
            }
        }
        if image == nil, !outdated.isEmpty {
            throw CipherError(.corrupt, "the keys of the backup are damaged: restore an exported copy", path: directory)
        }
    }

    private mutating func open(_ provider: any KeyProvider) throws(DumpFailure) {
        guard let image else { return }
        Machine.protectMemory()
        do throws(CipherError) { ring = try KeyRing.open(image, path: directory, provider: provider) } catch {
            switch error.kind {
            // The environment names a credential that does not exist.
            case .needsKey: break
            case .forged: problem = error.description
            case .wrongKey:
                throw DumpFailure(
                    message: "\(directory): \(error.message); give another key with --key-file FILE, or none to see "
                        + "sizes and checksums")
            default:
                throw DumpFailure(
                    message: "the key cannot be used: \(error.message); check --key-file or KYMO_KEY_FILE")
            }
        }
    }

    /// Returns the keys of the catalog's pages; nil without a key.
    func pageKeys() throws(DumpFailure) -> PageKeys? {
        guard let ring else { return nil }
        do {
            let pages = try PageKeys(storeID: ring.image.store.bytes)
            for generation in ring.image.generations {
                let key = try ring.pageKey(generation: generation.number)
                var failure: CatalogError?
                try unsafe key.withBytes { bytes in
                    do throws(CatalogError) {
                        try unsafe pages.add(generation: generation.number, key: bytes)
                    } catch { failure = error }
                }
                if let failure { throw failure }
            }
            return pages
        } catch { throw DumpFailure(message: "\(error)") }
    }

    // MARK: output

    /// Writes the slots and generations.
    func write(_ output: Output) throws(DumpFailure) {
        guard exist else { return }
        try output.line("keys of an encrypted store in \(directory)")
        if let image {
            try output.line("  store \(image.store.text), change \(image.number), AES-256-GCM")
            var generations = Table(["generation", "created"], left: [1])
            for generation in image.generations { generations.add([String(generation.number), generation.day]) }
            try output.put(generations)
            var slots = Table(["slot", "label"], left: [0, 1])
            for slot in image.slots { slots.add([slot.kind.rawValue, slot.label]) }
            try output.put(slots)
        }
        for problem in problems { try output.alarm("problem: \(problem)") }
    }

    /// Nil for a plain store.
    var json: JSON? {
        guard exist else { return nil }
        var fields: [(String, JSON)] = [("directory", .string(directory)), ("opened", .bool(ring != nil))]
        if let image {
            let generations = image.generations.map { generation in
                JSON.object([("number", .int(Int(generation.number))), ("created", .string(generation.day))])
            }
            let slots = image.slots.map { slot in
                JSON.object([("kind", .string(slot.kind.rawValue)), ("label", .string(slot.label))])
            }
            fields += [
                ("store", .string(image.store.text)), ("change", .unsigned(image.number)),
                ("generations", .array(generations)), ("slots", .array(slots)),
            ]
        }
        fields.append(("problems", .array(problems.map { .string($0) })))
        return .object(fields)
    }
}

extension DumpFailure {
    /// The failure of keys for a reason other than damage.
    init(_ error: CipherError) {
        self.init(message: error.description)
        isRefusal = true
    }
}
