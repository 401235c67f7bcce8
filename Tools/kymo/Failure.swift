// SPDX-License-Identifier: Apache-2.0

import AppleHealthExport
import ArgumentParser
import CivilTime
import FileSystem
import Foundation
import HealthSync
import Kymograph
import KymographHealth

/// The exit status of a command; the numbers are part of the interface.
enum ExitStatus: Int32 {
    case done = 0
    case failed = 1
    /// Imported with repaired or skipped elements.
    case repaired = 2
    case corrupt = 3
    case usage = 64
    case interrupted = 130
}

/// An error that ends a command: one line with the problem and the action to take.
struct Failure: Error, CustomStringConvertible {
    let status: ExitStatus
    let message: String

    /// The message.
    var description: String { message }

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// Returns the error of an invalid command line.
    static func usage(_ message: String) -> Failure { Failure(.usage, message) }

    /// Returns the error of digits with which several identities begin.
    ///
    /// UUIDs that one program made often begin alike. Short identities are then made from other digits.
    /// - Parameter names: the short identities.
    static func ambiguous(_ digits: String, _ names: [String]) -> Failure {
        let plain = digits.lowercased().filter { $0 != "-" }
        let shown = names.prefix(5).joined(separator: ", ")
        if names.allSatisfy({ $0.hasPrefix(plain) || plain.hasPrefix($0) }) {
            return usage("\"\(digits)\" begins \(names.count) identities, such as \(shown); give more digits")
        }
        let uuids = "\"\(digits)\" begins the UUIDs of \(names.count) objects"
        return usage("\(uuids); give a whole UUID, or an identity of a list, such as \(shown)")
    }
}

extension Failure {
    /// Creates the failure of an error from any target.
    init(_ error: any Error) {
        switch error {
        case let error as Failure: self = error
        case let error as HealthStoreError: self.init(error)
        case let error as SyncError: self.init(error)
        case let error as StoreError: self.init(Self.status(of: error.kind), Self.text(error.description))
        case let error as HKError:
            self.init(error.code == .errorInvalidArgument ? .usage : .failed, Self.text(error.description))
        case let error as HKUnitError: self.init(.usage, error.description)
        case let error as CivilError: self.init(.usage, error.description)
        case ImportError.cancelled: self.init(.interrupted, "interrupted; nothing of this file was stored")
        case ImportError.store(let error): self.init(error)
        case let error as DiskError: self.init(.failed, error.description)
        case let error as CipherError:
            let isDamage = error.kind == .corrupt || error.kind == .forged
            let advice = error.kind == .corrupt ? Self.keysAdvice(error.path).map { "; \($0)" } : nil
            self.init(isDamage ? .corrupt : .failed, Self.text(error.description) + (advice ?? ""))
        default: self.init(.failed, "\(error)")
        }
    }

    private init(_ error: SyncError) {
        switch error.kind {
        case .store(.engine(let kind)): self.init(Self.status(of: kind), Self.text(error.description))
        case .store(.corrupt), .malformed: self.init(.corrupt, error.description)
        case .cancelled: self.init(.interrupted, error.description)
        case .connection, .newerVersion, .refused, .other, .store: self.init(.failed, error.description)
        }
    }

    private init(_ error: HealthStoreError) {
        switch error.kind {
        case .engine(.notAStore):
            if let path = error.path, StoreOption.isFile(path) {
                self.init(.failed, StoreOption.fileMessage(path))
                return
            }
            // No store can be created in a directory that contains other files.
            if let path = error.path, let names = try? RealDisk().list(path), !names.isEmpty {
                self.init(.failed, error.description)
                return
            }
            let place = error.path.map { " at \($0)" } ?? ""
            let advice = "\"kymo import export.zip\" creates one, --store DIR or KYMO_STORE selects another"
            self.init(.failed, "no store\(place); \(advice)")
        case .engine(let kind): self.init(Self.status(of: kind), Self.text(error.description))
        case .corrupt:
            self.init(.corrupt, "\(error.description); \(Self.keysAdvice(error.path) ?? Self.damageAdvice)")
        case .invalidArgument, .incompatibleUnit: self.init(.usage, error.description)
        case .cancelled: self.init(.interrupted, error.description)
        case .notFound, .newerFormat: self.init(.failed, error.description)
        }
    }

    /// Returns a message of the engine without the advice that a command cannot follow, and with the options that give
    /// a key.
    private static func text(_ message: String) -> String {
        message.replacingOccurrences(of: StoreError.orReadOnly, with: "")
            .replacingOccurrences(of: CipherError.giveKey + " [", with: CipherError.giveKey + GivenKey.options + " [")
    }

    private static let damageAdvice =
        "\"kymo verify\" lists all damage, \"kymo repair --to DIR\" creates a new store from the intact parts"

    /// Returns the advice for damaged or missing files of keys; nil for another file.
    private static func keysAdvice(_ path: String?) -> String? {
        guard path?.hasSuffix("/" + KeysFiles.first) == true else { return nil }
        return "\"kymo key restore FILE\" puts the copy of \"kymo key export\" or of a backup back"
    }

    private static func status(of kind: StoreError.Kind) -> ExitStatus {
        switch kind {
        case .corrupt, .rolledBack, .forged: .corrupt
        case .invalidArgument: .usage
        case .cancelled: .interrupted
        default: .failed
        }
    }
}

/// Runs the body of a command; prints its error and converts it to the exit status.
func perform(_ body: (Output) throws -> ExitStatus) throws {
    let output = Output()
    do {
        let status = try body(output)
        try output.finish()
        if status != .done { throw ExitCode(status.rawValue) }
    } catch let code as ExitCode {
        throw code
    } catch {
        output.abandon()
        let failure = Failure(error)
        Messages.write(failure.message)
        throw ExitCode(failure.status.rawValue)
    }
}
