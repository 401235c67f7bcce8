// SPDX-License-Identifier: Apache-2.0

package import Bytes
package import FileSystem

/// A question for the secret of a store.
package struct KeyRequest: Sendable {
    /// The store's id.
    package let store: UUIDBytes
    /// The path of the store's directory.
    package let path: String
    /// The kinds and labels of the slots.
    package let slots: [(kind: KeySlot.Kind, label: String)]
    /// 1 for the first question, 2 after one wrong secret, and so on.
    package let attempt: Int

    package init(_ image: KeysImage, path: String, attempt: Int = 1) {
        store = image.store
        self.path = path
        slots = image.slots.map { ($0.kind, $0.label) }
        self.attempt = attempt
    }
}

/// Finds the secret of an encrypted store. Asked when a store is opened; it may block.
package protocol KeyProvider: Sendable {
    /// Returns the secret of a store; nil if the provider has none.
    func secret(for store: KeyRequest) throws(CipherError) -> StoreSecret?
}

extension KeyRing {
    /// Decrypts the keys of an image with the secret of a provider, which is asked again after a wrong secret.
    ///
    /// - Parameter attempts: the maximum number of questions.
    /// - Throws: `needsKey` without a provider or without a secret, `wrongKey`, the errors of the provider and of
    ///   `open(_:with:)`.
    package static func open(
        _ image: KeysImage, path: String, provider: (any KeyProvider)?, attempts: Int = 1
    ) throws(CipherError) -> KeyRing {
        for attempt in 1...max(attempts, 1) {
            guard let secret = try provider?.secret(for: KeyRequest(image, path: path, attempt: attempt)) else { break }
            do throws(CipherError) { return try open(image, with: secret) } catch {
                if error.kind != .wrongKey || attempt >= attempts { throw error }
            }
        }
        let labels = image.slots.map(\.label).joined(separator: ", ")
        throw CipherError(.needsKey, "the store is encrypted (slots: \(labels)); give its key", path: path)
    }
}

/// A secret that the program already has. A second question has no answer.
package struct KeyOnce: KeyProvider {
    private let secret: StoreSecret

    package init(_ secret: StoreSecret) { self.secret = secret }

    package func secret(for store: KeyRequest) throws(CipherError) -> StoreSecret? {
        store.attempt == 1 ? secret : nil
    }
}

/// A file with the line of a key file, a recovery key, or a passphrase.
package struct KeyFile: KeyProvider {
    private let path: String
    private let disk: any Disk

    package init(_ path: String) { self.init(path, disk: RealDisk()) }

    package init(_ path: String, disk: any Disk) {
        self.path = path
        self.disk = disk
    }

    package func secret(for store: KeyRequest) throws(CipherError) -> StoreSecret? {
        var bytes = try CipherError.onDisk { () throws(DiskError) in
            try disk.contents(of: path, limit: SecretBytes.maximum)
        }
        return try StoreSecret(content: SecretBytes(wiping: &bytes))
    }
}

/// A credential that systemd has passed to the service: the file of a name in `$CREDENTIALS_DIRECTORY`.
package struct SystemdCredential: KeyProvider {
    private let name: String
    private let directory: String?

    /// - Parameters:
    ///   - name: the credential's name in the service's unit.
    ///   - directory: the directory of credentials; that of the environment by default.
    package init(_ name: String, directory: String? = Environment.value("CREDENTIALS_DIRECTORY")) {
        self.name = name
        self.directory = directory
    }

    package func secret(for store: KeyRequest) throws(CipherError) -> StoreSecret? {
        guard !name.isEmpty, !name.contains("/"), name != ".", name != ".." else {
            throw CipherError(.invalidArgument, "\"\(name)\" is no name of a credential")
        }
        guard let directory else { return nil }
        let file = directory + "/" + name
        guard try CipherError.onDisk({ () throws(DiskError) in try RealDisk().exists(file) }) else { return nil }
        return try KeyFile(file).secret(for: store)
    }
}

/// A program that prints the secret: `secret-tool`, `systemd-creds`, `pass`, `age`.
package struct KeyCommand: KeyProvider {
    private let arguments: [String]
    private let milliseconds: Int

    /// - Parameters:
    ///   - arguments: the program and its arguments. No shell is involved.
    ///   - seconds: the time after which the program is killed.
    package init(_ arguments: [String], seconds: Int = 30) {
        self.arguments = arguments
        milliseconds = min(max(seconds, 1), 3600) * 1000
    }

    package func secret(for store: KeyRequest) throws(CipherError) -> StoreSecret? {
        let output = try unsafe SecretBytes(room: SecretBytes.maximum) { (memory) throws(CipherError) in
            do throws(DiskError) {
                return try unsafe ProgramOutput.read(arguments, into: memory, milliseconds: milliseconds)
            } catch { throw CipherError(error) }
        }
        return try StoreSecret(content: output)
    }
}
