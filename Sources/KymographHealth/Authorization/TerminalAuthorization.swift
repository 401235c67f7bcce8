// SPDX-License-Identifier: Apache-2.0

import FileSystem
public import Foundation
public import HealthModel

/// A provider that asks the person on the terminal of the process. Not part of HealthKit.
///
/// It needs a terminal for input and output; otherwise the request fails with `errorUserCanceled`, and stays pending.
/// For each type the person answers yes or no, or the same for all further types. An empty answer cancels.
public struct TerminalAuthorization: HealthAuthorizationProvider {
    /// Writes a line.
    private let output: @Sendable (String) -> Void
    /// Reads a line; nil at the end of the input.
    private let read: @Sendable () -> String?
    private let isTerminal: @Sendable () -> Bool

    init() {
        output = { text in try? OutputWriter.write(text: text) }
        read = { readLine() }
        isTerminal = { Terminal.isTerminal(.input) && Terminal.isTerminal(.output) }
    }

    /// Creates a provider with other streams, for tests.
    package init(write: @escaping @Sendable (String) -> Void, read: @escaping @Sendable () -> String?) {
        output = write
        self.read = read
        isTerminal = { true }
    }

    /// Asks the person.
    public func decide(_ request: HealthAuthorizationRequest) async throws -> HealthAuthorizationDecision {
        guard isTerminal() else { return .pending }
        return try await BlockingQueue.result { () throws(HKError) in try ask(request) }
    }

    /// Writes a line. Names, reasons and titles come from programs, so hidden characters are escaped.
    private func write(_ text: String) { output(TerminalText.printable(text)) }

    private func ask(_ request: HealthAuthorizationRequest) throws(HKError) -> HealthAuthorizationDecision {
        var decision = HealthAuthorizationDecision()
        var forAll: Bool?
        write("\(request.client.name) (\(request.client.bundleIdentifier)) asks for access to your health data.")
        func decide(_ what: String) throws(HKError) -> Bool {
            if let forAll { return forAll }
            let (answer, isForAll) = try self.answer("\(what)? [y]es, [n]o, [a]llow all, [r]efuse all: ")
            if isForAll { forAll = answer }
            return answer
        }
        if let purpose = request.purpose.share, !request.share.isEmpty { write("To save: \(purpose)") }
        for type in request.share.sorted(by: { $0.identifier < $1.identifier }) {
            decision.share[type] = try decide("Save \(type.plainName)")
        }
        if let purpose = request.purpose.read, !request.read.isEmpty { write("To read: \(purpose)") }
        if let purpose = request.purpose.clinical, request.read.contains(where: { $0 is HKClinicalType }) {
            write("To read clinical records: \(purpose)")
        }
        for type in request.read.sorted(by: { $0.identifier < $1.identifier }) {
            decision.read[type] = try decide("Read \(type.plainName)")
        }
        if request.share.isEmpty, request.read.isEmpty, request.objects.isEmpty {
            // Cancelled or not, the program cannot tell that there is nothing to choose.
            _ = try answer("Nothing matches. Continue? [y]es, [n]o: ")
        }
        for object in request.objects {
            decision.objects[object.uuid] = try decide("Read \(object.title)")
        }
        return decision
    }

    /// Returns whether the person allows, and whether that is the answer to all further questions.
    private func answer(_ question: String) throws(HKError) -> (isAllowed: Bool, isForAll: Bool) {
        while true {
            write(question)
            let text = read()?.trimmingCharacters(in: .whitespaces).lowercased() ?? ""
            switch text.first {
            case "y": return (true, false)
            case "n": return (false, false)
            case "a": return (true, true)
            case "r": return (false, true)
            case nil:
                throw HKError(.errorUserCanceled, reason: "the person gave no answer")
            default: write("Please answer y, n, a or r.")
            }
        }
    }
}

extension HKObjectType {
    /// The identifier without prefix and suffix: `HeartRate`, `Workout`.
    package var plainName: String {
        var name = identifier[...]
        for mark in ["TypeIdentifier", "HKDataType"] {
            if let range = name.range(of: mark), range.upperBound < name.endIndex {
                name = name[range.upperBound...]
            }
        }
        if name.hasPrefix("Identifier"), name.count > 10 { name = name.dropFirst(10) }
        if name.hasPrefix("HK") { name = name.dropFirst(2) }
        if name.hasSuffix("TypeIdentifier") { name = name.dropLast(14) }
        return String(name)
    }
}
