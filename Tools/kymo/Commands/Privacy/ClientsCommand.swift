// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import KymographHealth

struct ClientsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clients",
        abstract: "List what programs asked for, and what you allowed and denied.",
        discussion: """
            EXAMPLES
              kymo clients                      all programs with decisions
              kymo clients com.example.coach    one program
              kymo clients --json

            A program that could not ask you has "asked"; "kymo allow" and "kymo deny" answer it.

            Decisions of a policy file are not listed; its path is shown, with the reason if it cannot be used.
            """)

    @Argument(help: "The bundle identifier of a program. Default: all programs.")
    var client: String?

    @OptionGroup var store: StoreOption
    @OptionGroup var format: FormatOptions

    func run() throws {
        try perform { output in
            let store = try store.open()
            let all = try store.authorizedClients().filter { client == nil || $0.client == client }
            if let policy = store.authorizationPolicy() {
                try Self.explain(policy, store)
            }
            if let format = format.format {
                let columns = ["client", "direction", "type", "isAllowed", "readFrom", "decided", "origin"]
                var writer = RowWriter(output, format, columns: columns)
                for one in all {
                    for request in one.requests { try Self.write(request, of: one.client, &writer) }
                    for decision in one.decisions { try Self.write(decision, of: one.client, &writer) }
                }
                try writer.finish()
            } else if all.isEmpty {
                Messages.write("no decisions are stored")
            } else {
                try Self.table(all, output)
            }
            return .done
        }
    }

    /// Writes the path of the policy file, and why it denies everything or nothing.
    static func explain(_ policy: (path: String, fault: String?), _ store: HealthStore) throws {
        Messages.line("policy: \(policy.path)")
        if try store.authorizationMode() == .open {
            Messages.write("the policy file has no effect: the mode is open; \"kymo privacy enforced\" changes it")
        } else if let fault = policy.fault {
            Messages.write("everything is denied: \(fault)")
        }
    }

    private static func write(
        _ decision: HealthClientOverview.Decision, of client: String, _ writer: inout RowWriter
    ) throws {
        writer.beginRow()
        writer.text("client", client)
        writer.text("direction", decision.isSharing ? "share" : "read")
        writer.text("type", decision.type.identifier)
        writer.integer("isAllowed", decision.isAllowed ? 1 : 0)
        writer.text("readFrom", decision.readFrom.map { $0.formatted(.iso8601) })
        writer.text("decided", decision.decided.formatted(.iso8601))
        writer.text("origin", decision.origin)
        try writer.endRow()
    }

    private static func write(
        _ request: HealthClientOverview.Request, of client: String, _ writer: inout RowWriter
    ) throws {
        writer.beginRow()
        writer.text("client", client)
        writer.text("direction", request.isSharing ? "share" : "read")
        writer.text("type", request.type.identifier)
        writer.integer("isAllowed", nil)
        writer.text("readFrom", nil)
        writer.text("decided", request.asked.formatted(.iso8601))
        writer.text("origin", "request")
        try writer.endRow()
    }

    private static func table(_ all: [HealthClientOverview], _ output: Output) throws {
        var table = Table([
            .init(title: "client", limit: 40), .init(title: ""), .init(title: "type", limit: 40), .init(title: ""),
            .init(title: "from"),
        ])
        for one in all {
            for request in one.requests {
                let direction = request.isSharing ? "share" : "read"
                table.append([one.client, direction, request.type.plainName, "asked", ""])
            }
            for decision in one.decisions {
                table.append([
                    one.client, decision.isSharing ? "share" : "read", decision.type.plainName,
                    decision.isAllowed ? "allowed" : "denied",
                    decision.readFrom.map { $0.formatted(.iso8601.year().month().day()) } ?? "",
                ])
            }
            if one.allowedObjects + one.refusedObjects > 0 {
                table.append([
                    one.client, "read", "single objects", "\(one.allowedObjects) allowed, \(one.refusedObjects) denied",
                    "",
                ])
            }
        }
        try table.write(to: output)
    }
}
