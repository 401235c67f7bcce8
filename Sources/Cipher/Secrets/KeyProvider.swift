// SPDX-License-Identifier: Apache-2.0

package import Bytes
package import FileSystem

/// A question for the secret of a store.
public struct KeyRequest: Sendable {
    /// The store's id.
    package let store: UUIDBytes
    /// The path of the store's directory.
    public let path: String
    /// The slots of the store; empty for a store that is created.
    public let slots: [KeySlot]
    /// 1 for the first question, 2 after one wrong secret, and so on.
    public let attempt: Int

    /// The store's id as text.
    public var storeID: String { store.text }
    /// Whether the store is created with the secret.
    public var isNew: Bool { slots.isEmpty }

    /// Creates the question for a store that does not exist yet.
    package init(newStoreAt path: String) {
        self.init(store: UUIDBytes([UInt8](repeating: 0, count: 16)), path: path)
    }

    package init(_ image: KeysImage, path: String, attempt: Int = 1) {
        self.init(store: image.store, path: path, slots: image.slots, attempt: attempt)
    }

    package init(store: UUIDBytes, path: String, slots: [KeySlot] = [], attempt: Int = 1) {
        self.store = store
        self.path = path
        self.slots = slots
        self.attempt = attempt
    }
}

/// Finds the secret of an encrypted store. Asked when a store is opened or created; it may block.
public protocol KeyProvider: Sendable {
    /// The number of times that the provider is asked after wrong secrets; 1 by default.
    var attempts: Int { get }

    /// Returns the secret of a store; nil if the provider has none.
    ///
    /// - Parameter store: the store, its slots, and the number of the question.
    func secret(for store: KeyRequest) throws -> StoreSecret?
}

extension KeyProvider {
    /// One question.
    public var attempts: Int { 1 }
}

extension KeyRing {
    /// Decrypts the keys of an image with the secret of a provider, which is asked again after a wrong secret as often
    /// as it wants.
    ///
    /// - Throws: `needsKey` without a provider or without a secret, `wrongKey`, the errors of the provider and of
    ///   `open(_:with:)`.
    package static func open(
        _ image: KeysImage, path: String, provider: (any KeyProvider)?
    ) throws(CipherError) -> KeyRing {
        let attempts = max(provider?.attempts ?? 1, 1)
        for attempt in 1...attempts {
            let request = KeyRequest(image, path: path, attempt: attempt)
            guard let secret = try provider?.answer(to: request) else { break }
            do throws(CipherError) { return try open(image, with: secret) } catch {
                if error.kind != .wrongKey || attempt >= attempts { throw error.naming(path) }
            }
        }
        let labels = image.slots.map(\.label).joined(separator: ", ")
        throw CipherError(.needsKey, "the store is encrypted (slots: \(labels)); \(CipherError.giveKey)", path: path)
    }
}

extension KeyProvider {
    /// Asks the provider.
    ///
    /// - Throws: the error of the provider; `failed` for an error of another type.
    package func answer(to request: KeyRequest) throws(CipherError) -> StoreSecret? {
        do { return try secret(for: request) } catch {
            if let error = error as? CipherError { throw error }
            throw CipherError(.failed, "the key provider failed: \(error)", path: request.path)
        }
    }
}

/// A secret that the program already has. A second question has no answer.
public struct KeyOnce: KeyProvider {
    private let secret: StoreSecret

    /// Creates a provider of one secret.
    public init(_ secret: StoreSecret) { self.secret = secret }

    /// Returns the secret, whichever store asks.
    public func secret(for store: KeyRequest) throws(CipherError) -> StoreSecret? {
        store.attempt == 1 ? secret : nil
    }
}

/// A file with the line of a key file, a recovery key, or a passphrase.
public struct KeyFile: KeyProvider {
    private let path: String
    private let disk: any Disk

    /// - Parameter path: the path of the file.
    public init(_ path: String) { self.init(path, disk: RealDisk()) }

    package init(_ path: String, disk: any Disk) {
        self.path = path
        self.disk = disk
    }

    /// Creates a file with a new random key, durably, which only its owner may read.
    ///
    /// - Parameter path: a path that does not exist.
    /// - Throws: `inputOutput` if the path exists or cannot be written, `failed` without random bytes.
    @discardableResult
    public static func create(at path: String) throws(CipherError) -> KeyFile {
        let secret = try StoreSecret.random()
        var text = try KeyText.file(secret.bytes)
        defer { SecretBytes.wipe(&text) }
        let disk = RealDisk()
        try CipherError.onDisk { () throws(DiskError) in
            try disk.createFile(path, text)
            try disk.syncDirectory(parent(of: path))
        }
        return KeyFile(path, disk: disk)
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Returns the secret, whichever store asks.
    public func secret(for store: KeyRequest) throws(CipherError) -> StoreSecret? { try secret() }

    /// Reads the secret.
    ///
    /// - Throws: `inputOutput`; `invalidArgument` for an empty, damaged or too long file.
    public func secret() throws(CipherError) -> StoreSecret {
        var bytes = try CipherError.onDisk { () throws(DiskError) in
            try disk.contents(of: path, limit: SecretBytes.maximum)
        }
        do throws(CipherError) { return try StoreSecret(content: SecretBytes(wiping: &bytes)) } catch {
            throw error.naming(path)
        }
    }
}

/// A credential that systemd has passed to the service: the file of a name in `$CREDENTIALS_DIRECTORY`.
public struct SystemdCredential: KeyProvider {
    private let name: String
    private let directory: String?

    /// - Parameters:
    ///   - name: the credential's name in the service's unit.
    ///   - directory: the directory of credentials; that of the environment by default.
    public init(_ name: String, directory: String? = nil) {
        self.name = name
        self.directory = directory ?? Environment.value("CREDENTIALS_DIRECTORY")
    }

    /// Returns the secret, whichever store asks.
    public func secret(for store: KeyRequest) throws(CipherError) -> StoreSecret? {
        guard !name.isEmpty, !name.contains("/"), name != ".", name != ".." else {
            throw CipherError(.invalidArgument, "\"\(name)\" is not the name of a credential")
        }
        guard let directory else { return nil }
        let file = directory + "/" + name
        guard try CipherError.onDisk({ () throws(DiskError) in try RealDisk().exists(file) }) else { return nil }
        return try KeyFile(file).secret(for: store)
    }
}

/// A program that prints the secret: `secret-tool`, `systemd-creds`, `pass`, `age`.
public struct KeyCommand: KeyProvider {
    private let arguments: [String]
    private let milliseconds: Int

    /// - Parameters:
    ///   - arguments: the program and its arguments. No shell is involved.
    ///   - seconds: the time after which the program is killed.
    public init(_ arguments: [String], seconds: Int = 30) {
        self.arguments = arguments
        milliseconds = min(max(seconds, 1), 3600) * 1000
    }

    /// Returns the secret, whichever store asks.
    public func secret(for store: KeyRequest) throws(CipherError) -> StoreSecret? {
        let output = try unsafe SecretBytes(room: SecretBytes.maximum) { (memory) throws(CipherError) in
            do throws(DiskError) {
                return try unsafe ProgramOutput.read(arguments, into: memory, milliseconds: milliseconds)
            } catch { throw CipherError(error) }
        }
        return try StoreSecret(content: output)
    }
}
