// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import Kymograph
import Synchronization
import TestSupport

/// A store on the real disk in which one file is replaced by something else: a link to an intact copy, a dangling link,
/// a pipe, a directory, a device. Every call must end with a right answer or a typed error, no other file may change,
/// and the store must work again with the file back.
struct OddFileCase: Sendable {
    enum Shape: String, CaseIterable, Sendable {
        case link, danglingLink, pipe, directory, device
    }

    let reference: ReferenceStore
    /// The file, by its path in the reference.
    let path: String
    let shape: Shape
    /// The directory of this case.
    let place: String

    /// The seconds after which a call counts as hanging.
    private static let patience = 60.0

    private var root: String { place + SimulatedStore.path }
    private var odd: String { place + "/" + path }
    private var copy: String { place + "/elsewhere" }
    private var note: String { "store \(reference.seed), \(path) replaced by a \(shape.rawValue)" }

    private var options: StoreOptions {
        var options = StoreOptions()
        options.compacts = false
        options.threads = 1
        return options
    }

    func run(_ result: inout CampaignResult) {
        result.cases += 1
        result.count("\(StoreMutation.FileKind(path).rawValue): replaced by a \(shape.rawValue)")
        let found = Mutex(CampaignResult(suite: "", seed: 0))
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            var mine = CampaignResult(suite: "", seed: 0)
            do { try work(&mine) } catch { mine.fail("\(note): \(error)") }
            let all = mine
            found.withLock { $0 = all }
            done.signal()
        }
        thread.stackSize = 8 << 20
        thread.start()
        guard done.wait(timeout: .now() + Self.patience) == .success else {
            return result.fail("\(note): a call does not end")
        }
        result.merge(found.withLock { $0 })
        try? FileManager.default.removeItem(atPath: place)
    }

    private func work(_ result: inout CampaignResult) throws {
        try make()
        let sound = reference.files[path] ?? []
        ask(.readOnly, "reading", &result)
        trying("verify", &result) { _ in _ = try TimeSeriesStore.verify(at: root, options: options) }
        trying("repair", &result) { result in
            try TimeSeriesStore.repair(from: root, to: place + "/repaired", options: options)
            let store = try TimeSeriesStore.open(at: place + "/repaired", options: options)
            defer { store.close() }
            if let first = try store.verify().problems.first {
                result.fail("\(note): the repaired store: \(first.message)")
            }
        }
        let didWrite = ask(.readWrite, "writing", &result)
        // A link at the catalog's path is written through on purpose.
        if shape == .link, !path.hasSuffix(".sqlite"), try Data(contentsOf: URL(fileURLWithPath: copy)) != Data(sound) {
            result.fail("\(note): the target of the link was changed")
        }
        if shape == .danglingLink, FileManager.default.fileExists(atPath: copy) {
            result.fail("\(note): a file was created at the target of the link")
        }
        if didWrite { return result.count("odd files that do not matter") }
        try? FileManager.default.removeItem(atPath: odd)
        try Data(sound).write(to: URL(fileURLWithPath: odd))
        if !ask(.readWrite, "with the file back", &result) { result.fail("\(note): the store cannot be opened") }
    }

    /// Creates the store with the odd file.
    private func make() throws {
        let files = FileManager.default
        for folder in reference.directories + [SimulatedStore.path] {
            try files.createDirectory(atPath: place + "/" + folder, withIntermediateDirectories: true)
        }
        for (path, bytes) in reference.files where path != self.path && !path.hasSuffix("-shm") {
            try Data(bytes).write(to: URL(fileURLWithPath: place + "/" + path))
        }
        switch shape {
        case .link:
            try Data(reference.files[path] ?? []).write(to: URL(fileURLWithPath: copy))
            try files.createSymbolicLink(atPath: odd, withDestinationPath: copy)
        case .danglingLink: try files.createSymbolicLink(atPath: odd, withDestinationPath: copy)
        case .directory: try files.createDirectory(atPath: odd, withIntermediateDirectories: false)
        case .pipe:
            guard unsafe mkfifo(odd, 0o600) == 0 else { throw CampaignError("cannot create a pipe: error \(errno)") }
        case .device:
            // The zero device; only root can create it, but every user can link to it.
            if unsafe mknod(odd, S_IFCHR | 0o600, 0x105) == 0 { return }
            try files.createSymbolicLink(atPath: odd, withDestinationPath: "/dev/zero")
        }
    }

    /// Opens the store and runs all queries. Returns true if it could be opened.
    @discardableResult
    private func ask(_ mode: OpenMode, _ what: String, _ result: inout CampaignResult) -> Bool {
        var isOpen = false
        trying(what, &result) { result in
            let store = try TimeSeriesStore.open(at: root, mode: mode, options: options)
            isOpen = true
            defer { store.close() }
            let snapshot = store.snapshot()
            for one in reference.series {
                trying("\(what), \(one.name)", &result) { result in
                    let found = try ReferenceStore.all(snapshot, one.id)
                    if found != reference.samples[one.id.rawValue] ?? [] {
                        result.fail("\(note): \(what) returned wrong numbers of \(one.name)")
                    }
                    result.count("odd files: answers")
                }
            }
        }
        return isOpen
    }

    private func trying(
        _ what: String, _ result: inout CampaignResult, _ body: (inout CampaignResult) throws -> Void
    ) {
        do {
            try body(&result)
        } catch let error as StoreError {
            result.count("odd files: errors")
            if error.path == nil { result.fail("\(note): \(what): an error without a path: \(error)") }
        } catch {
            result.fail("\(note): \(what): \(error)")
        }
    }
}
