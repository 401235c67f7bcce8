// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FileSystem
import Kymograph
import KymographHealth

/// Which store.
struct StoreOption: ParsableArguments {
    @Option(
        name: .customLong("store"),
        help: ArgumentHelp(
            "The store's directory. Default: KYMO_STORE, else kymograph in the user's data directory.",
            valueName: "dir"),
        completion: .directory)
    var path: String?

    /// The directory.
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
            if path.isEmpty { throw .usage("--store is empty; name a directory") }
            return path
        }
        var environment: [String: String] = [:]
        for name in ["KYMO_STORE", "XDG_DATA_HOME", "HOME"] { environment[name] = Environment.value(name) }
        guard let path = HealthStore.defaultPath(environment) else {
            throw .usage("no store is named: give --store DIR, or set KYMO_STORE")
        }
        return path
    }

    /// The directory, where a command takes it as an argument as well; both at once would leave one unheard.
    func resolved(or argument: String?, warns: Bool = true) throws(Failure) -> String {
        guard let argument else { return try resolved(warns: warns) }
        if path != nil { throw .usage("the store is named twice: \(argument) and --store") }
        if argument.isEmpty { throw .usage("the store's name is empty; name a directory") }
        try Self.refuseFile(argument)
        if warns { Self.warnOfOthers(argument) }
        return argument
    }

    /// Warns about a store in a directory that other users can write to, and about a new store in such a directory of
    /// another user. A group that can write may share the store on purpose: only `verify` has a remark on it.
    private static func warnOfOthers(_ path: String) {
        let disk = RealDisk()
        guard let access = try? disk.access(to: path), access.isWritableByOthers else { return }
        let isStore = (try? disk.exists(path + "/kymograph.sqlite")) ?? false
        // A store that is made in a directory of this user's closes it.
        if isStore || !access.isOwn { Messages.write(VerifyReport.accessRemark(path)) }
    }

    /// A file holds no store and can become none.
    private static func refuseFile(_ path: String) throws(Failure) {
        if isFile(path) { throw Failure(.failed, fileMessage(path)) }
    }

    /// Whether a regular file is there, perhaps over links.
    static func isFile(_ path: String) -> Bool { (try? RealDisk().size(of: path)) != nil }

    static func fileMessage(_ path: String) -> String {
        "\(path) is a file, and a store is a directory; --store DIR or KYMO_STORE names another"
    }

    /// Makes the directories above a store, as far as they are not there.
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

    /// The store, for reading: whoever writes it meanwhile is not disturbed.
    func open() throws -> HealthStore { try HealthStore.open(at: resolved(), mode: .readOnly) }
}

/// When the store is looked at.
struct AsOfOption: ParsableArguments {
    @Option(
        name: .customLong("as-of"),
        help: ArgumentHelp("The store as it was after this commit; \"kymo info\" tells which.", valueName: "commit"))
    var commit: Int64?
}
