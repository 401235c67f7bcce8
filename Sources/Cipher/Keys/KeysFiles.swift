// SPDX-License-Identifier: Apache-2.0

package import FileSystem

/// The files KEYS and KEYS.2 of a store's directory. Both have the same bytes.
///
/// A change writes KEYS.2 first, then KEYS, each as a new file that is synced and renamed. So at any moment one of them
/// is a complete file, old or new.
package struct KeysFiles: Sendable {
    /// The first file.
    package static let first = "KEYS"
    /// The copy, which a change writes first.
    package static let second = "KEYS.2"
    /// The name of a file that is being written.
    package static let draft = "KEYS.new"

    private let disk: any Disk
    private let directory: String

    package init(_ disk: any Disk, _ directory: String) {
        self.disk = disk
        self.directory = directory
    }

    /// The keys that a directory has.
    package struct Found: Sendable {
        /// The sound copy with the greater number; KEYS if both have the same.
        package let image: KeysImage
        /// The names of files that are missing, damaged or older. A writer mends them.
        package let outdated: [String]
    }

    private func path(_ name: String) -> String { directory + "/" + name }

    /// Reads both files.
    ///
    /// - Returns: nil if neither file exists: the store is not encrypted.
    /// - Throws: `corrupt` if no copy is sound, `newerFormat`, `inputOutput`.
    package func read() throws(CipherError) -> Found? {
        var sound: [(name: String, image: KeysImage)] = []
        var damage: [CipherError] = []
        for name in [Self.first, Self.second] {
            do throws(CipherError) {
                if let image = try read(name) { sound.append((name, image)) }
            } catch {
                // A later format is no damage, and must not be replaced by an older copy.
                guard error.kind == .corrupt else { throw error }
                damage.append(error)
            }
        }
        guard var best = sound.first else {
            if damage.isEmpty { return nil }
            throw CipherError(
                .corrupt,
                "KEYS and KEYS.2 are damaged or missing; without them the data cannot be decrypted: restore an "
                    + "exported copy, or KEYS of a backup", path: path(Self.first))
        }
        if let other = sound.dropFirst().first, other.image.number > best.image.number { best = other }
        let current = sound.filter { $0.image == best.image }.map(\.name)
        return Found(image: best.image, outdated: [Self.first, Self.second].filter { !current.contains($0) })
    }

    /// Returns the content of a file; nil if it does not exist.
    private func read(_ name: String) throws(CipherError) -> KeysImage? {
        let path = path(name)
        let bytes: [UInt8]
        do throws(DiskError) { bytes = try disk.contents(of: path, limit: KeysImage.maximumBytes) } catch {
            if error.isMissing { return nil }
            if error.isUnreadableContent || error.errno == DiskError.fileTooLarge {
                throw CipherError(.corrupt, error.description, path: path, disk: error)
            }
            throw CipherError(error)
        }
        return try KeysImage.decode(bytes, path: path)
    }

    /// Writes changed keys, or the keys of a new store.
    ///
    /// - Requires: the writer lock.
    /// - Throws: `invalidArgument` if the files are not those from which the change was made: read them again.
    ///   `inputOutput`: the old keys are in the files, or the new ones, which the next `read` returns.
    package func write(_ image: KeysImage) throws(CipherError) {
        let former = try read()?.image.number ?? 0
        guard image.number == former + 1 else {
            throw CipherError(
                .invalidArgument, "another change of the keys (number \(former)) came first; read them again",
                path: path(Self.first))
        }
        try publish(image, as: [Self.second, Self.first])
    }

    /// Writes the outdated files again. Call it with keys that a secret has opened, so that forged keys are not copied.
    ///
    /// - Requires: the writer lock.
    package func mend(_ found: Found) throws(CipherError) {
        if !found.outdated.isEmpty { try publish(found.image, as: found.outdated) }
    }

    /// Writes the keys of another directory into this one, for a copy of its store.
    package func copy(_ image: KeysImage) throws(CipherError) {
        try publish(image, as: [Self.second, Self.first])
    }

    private func publish(_ image: KeysImage, as names: [String]) throws(CipherError) {
        let bytes = image.encoded()
        try CipherError.onDisk { () throws(DiskError) in
            for name in names {
                if try disk.exists(path(Self.draft)) { try disk.remove(path(Self.draft)) }
                try disk.createFile(path(Self.draft), bytes)
                try disk.rename(path(Self.draft), to: path(name))
                try disk.syncDirectory(directory)
            }
        }
    }
}
