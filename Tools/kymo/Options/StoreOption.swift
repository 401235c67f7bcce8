// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FileSystem
import Kymograph
import KymographHealth

/// The choice of the store.
struct StoreOption: ParsableArguments {
    @Option(
        name: .customLong("store"),
        help: ArgumentHelp(
            "Directory of the store. Default: KYMO_STORE, else kymograph in the user's data directory.",
            valueName: "dir"),
        completion: .directory)
    var path: String?

    @Option(
        name: .customLong("key-file"),
        help: ArgumentHelp(
            "File with the key of an encrypted store. Default: KYMO_KEY_FILE, KYMO_KEY_COMMAND, else the terminal.",
            valueName: "file"),
        completion: .file())
    var keyFile: String?

    func validate() throws {
        if keyFile?.isEmpty == true { throw ValidationError("--key-file is empty; give a file.") }
        GivenKey.note(file: keyFile)
    }

    /// Returns the directory of the store.
    ///
    /// - Parameter warns: whether to warn on standard error about a directory in which other users may replace files.
    func resolved(warns: Bool = true) throws(Failure) -> String {
        let path = try named()
        try Self.refuseFile(path)
        if warns { Self.warnOfOthers(path) }
        return path
    }

    private func named() throws(Failure) -> String {
        if let path {
            if path.isEmpty { throw .usage("--store is empty; give a directory") }
            return path
        }
        var environment: [String: String] = [:]
        for name in ["KYMO_STORE", "XDG_DATA_HOME", "HOME"] { environment[name] = Environment.value(name) }
        guard let path = HealthStore.defaultPath(environment) else {
            throw .usage("no store is given: use --store DIR or set KYMO_STORE")
        }
        return path
    }

    /// Returns the directory if a command also takes it as an argument. Throws if both are given.
    func resolved(or argument: String?, warns: Bool = true) throws(Failure) -> String {
        guard let argument else { return try resolved(warns: warns) }
        if path != nil { throw .usage("the store is given twice: \(argument) and --store") }
        if argument.isEmpty { throw .usage("the store's path is empty; give a directory") }
        try Self.refuseFile(argument)
        if warns { Self.warnOfOthers(argument) }
        return argument
    }

    /// Warns about a store in a directory that other users can write to, and about a new store in such a directory of
    /// another user. Groups may share a store on purpose: only `verify` remarks on a group-writable directory.
    private static func warnOfOthers(_ path: String) {
        let disk = RealDisk()
        guard let access = try? disk.access(to: path), access.isWritableByOthers else { return }
        let isStore = (try? disk.exists(catalog(in: path))) ?? false
        // Creating a store restricts the access to this user's own directory.
        if isStore || !access.isOwn { Messages.write(VerifyReport.accessRemark(path)) }
    }

    /// The path of the catalog of a store.
    static func catalog(in path: String) -> String { path + "/kymograph.sqlite" }

    /// Throws if the path is a file: a store is a directory.
    private static func refuseFile(_ path: String) throws(Failure) {
        if isFile(path) { throw Failure(.failed, fileMessage(path)) }
    }

    /// Returns whether the path is a regular file, after following links.
    static func isFile(_ path: String) -> Bool { (try? RealDisk().size(of: path)) != nil }

    static func fileMessage(_ path: String) -> String {
        "\(path) is a file, but a store is a directory; --store DIR or KYMO_STORE selects another"
    }

    /// Creates the missing parent directories of a store.
    static func makeParents(of path: String) throws {
        var missing: [String] = []
        var parent = path
        while parent.hasSuffix("/"), parent.count > 1 { parent.removeLast() }
        while let slash = parent.lastIndex(of: "/"), slash > parent.startIndex {
            parent = String(parent[..<slash])
            if try RealDisk().kind(of: parent) != nil { break }
            missing.append(parent)
        }
        for directory in missing.reversed() where !directory.hasSuffix("/") {
            try RealDisk().createDirectory(directory)
        }
    }

    /// Opens the store read-only, without disturbing a concurrent writer.
    func open() throws -> HealthStore { try Stores.open(at: resolved(), mode: .readOnly) }
}

/// The commit whose state is read.
struct AsOfOption: ParsableArguments {
    @Option(
        name: .customLong("as-of"),
        help: ArgumentHelp("Read the store as of this commit; \"kymo info\" shows the oldest.", valueName: "commit"))
    var commit: Int64?
}
