// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Kymograph
import KymographHealth
import Synchronization

/// The key of an encrypted store, from the command line, the environment or the terminal, in this order.
struct GivenKey: KeyProvider {
    /// The file that `--key-file` names in this run.
    private static let named = Mutex<String?>(nil)

    /// The secrets that were found in this run, by store: a command may open a store several times.
    private static let known = Mutex<[String: StoreSecret]>([:])

    /// Notes the file of `--key-file`, for all stores of this run.
    static func note(file: String?) { named.withLock { if let file { $0 = file } } }

    private let file: String?
    private let environment = EnvironmentKey()
    /// Whether a person or a program may be asked.
    private let asks: Bool

    /// - Parameter asks: whether the key may come from the terminal or from the program in `KYMO_KEY_COMMAND`, which
    ///   may show a prompt of its own.
    init(asks: Bool = true) {
        file = Self.named.withLock { $0 }
        self.asks = asks
    }

    /// Whether the user gave a key. A store that is not encrypted then is an error.
    var isExplicit: Bool { file != nil || environment.isNamed }
    private var isTyped: Bool { file == nil && environment.isEmpty }

    /// Three for a passphrase that a person types.
    var attempts: Int { isTyped && asks ? 3 : 1 }

    func secret(for store: KeyRequest) throws -> StoreSecret? {
        Machine.protectMemory()
        let id = store.storeID
        if store.attempt == 1, let secret = Self.known.withLock({ $0[id] }) { return secret }
        let secret = try fresh(for: store)
        if let secret { Self.known.withLock { $0[id] = secret } }
        return secret
    }

    private func fresh(for store: KeyRequest) throws -> StoreSecret? {
        if let file { return try KeyFile(file).secret(for: store) }
        if isTyped { return asks ? try Self.typed(for: store) : nil }
        return asks || Environment.value("KYMO_KEY_FILE")?.isEmpty == false
            ? try environment.secret(for: store) : nil
    }

    /// Returns the key of a store that is to be created.
    static func ofNewStore(at path: String) throws -> StoreSecret {
        Machine.protectMemory()
        guard let secret = try GivenKey().fresh(for: KeyRequest(newStoreAt: path)) else {
            throw Failure(
                .failed,
                "a new encrypted store needs a key, and there is no terminal to ask for a passphrase; "
                    + "\(CipherError.giveKey)\(options)")
        }
        return secret
    }

    /// The ways to give a key, after the advice to give it.
    static let options = " with --key-file, KYMO_KEY_FILE or KYMO_KEY_COMMAND"

    /// Asks for a passphrase on the terminal; twice for a new store.
    private static func typed(for store: KeyRequest) throws -> StoreSecret? {
        let wrong = store.attempt > 1 ? "Wrong passphrase. " : ""
        let prompt = wrong + (store.isNew ? "New passphrase" : "Passphrase") + " of \(store.path): "
        return try secret(prompt, isNew: store.isNew)
    }

    /// Asks for a secret on the terminal.
    ///
    /// - Parameter isNew: whether it is asked twice.
    /// - Returns: nil without a terminal, or without an answer.
    static func secret(_ prompt: String, isNew: Bool) throws -> StoreSecret? {
        guard let first = try line(prompt) else { return nil }
        if isNew {
            guard let second = try line("Repeat the passphrase: ") else { return nil }
            if !(try first.equals(second)) { throw Failure(.failed, "the passphrases differ; nothing was changed") }
        }
        return first
    }

    private static func line(_ prompt: String) throws -> StoreSecret? {
        try unsafe StoreSecret.read { (memory) throws(CipherError) in
            do throws(DiskError) {
                return try unsafe Passphrase.read(TerminalText.printable(prompt), into: memory)
            } catch {
                guard error.errno == DiskError.fileTooLarge else { throw CipherError(error) }
                let limit = NumberText.grouped(StoreSecret.maximumPassphraseBytes)
                throw CipherError(.invalidArgument, "a passphrase has at most \(limit) bytes; nothing was changed")
            }
        }
    }
}

/// Opens the stores of all commands, with the key that the user gave.
enum Stores {
    /// Options with the key that the user gave, for a store that exists.
    ///
    /// - Parameter asks: whether a person or a program may be asked for the key.
    static func options(asks: Bool = true) -> StoreOptions {
        var options = StoreOptions()
        let key = GivenKey(asks: asks)
        if options.key != nil, !key.isExplicit { return options }
        options.key = key
        options.isKeyOptional = !key.isExplicit
        options.encryptsNewStores = false
        return options
    }

    /// Options for a store that is created if it does not exist.
    ///
    /// - Parameters:
    ///   - path: the directory of the store.
    ///   - encrypts: whether a new store is to be encrypted.
    static func options(creating path: String, encrypts: Bool = false) throws -> StoreOptions {
        var options = options()
        if encrypts {
            // Asks before a directory is made, so that a command that ends at the prompt leaves none behind.
            options.key = KeyOnce(try GivenKey.ofNewStore(at: path))
            options.isKeyOptional = false
            options.encryptsNewStores = true
            return options
        }
        let isThere = try RealDisk().kind(of: StoreOption.catalog(in: path)) != nil
        if !isThere, GivenKey().isExplicit {
            throw Failure(
                .usage,
                "a key is given, but there is no store at \(path); \"kymo import FILE --encrypt\" creates one with it"
            )
        }
        return options
    }

    /// Opens a store.
    ///
    /// - Parameter asks: whether a person or a program may be asked for the key.
    static func open(at path: String, mode: OpenMode, asks: Bool = true) throws(HealthStoreError) -> HealthStore {
        try HealthStore.open(at: path, mode: mode, options: options(asks: asks))
    }
}
