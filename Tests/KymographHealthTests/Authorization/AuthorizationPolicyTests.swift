// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import UniformTypeIdentifiers

@testable import HealthModel
@testable import KymographHealth

@Suite("S-2 S-72 a policy file decides before the person")
struct AuthorizationPolicyTests {
    private let rate = HKQuantityType(.heartRate)
    private let step = HKQuantityType(.stepCount)

    private func write(_ text: String, _ door: PrivateDoor, mode: Int = 0o600) throws {
        let path = door.path + "/authorization.json"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test("the file beats the rows, deny beats allow, and a change is seen at once")
    func order() async throws {
        let door = try PrivateDoor()
        try await door.other.save([beats(60, at: 0), steps(5, at: 0)])
        try write(
            """
            {"clients": {"\(PrivateDoor.name)": {
              "read": ["*"], "share": ["HKQuantityTypeIdentifierHeartRate"],
              "deny": {"read": ["HKQuantityTypeIdentifierStepCount"]}}}}
            """, door)
        #expect(try await door.values(rate) == [60])
        #expect(try await door.values(step).isEmpty)
        #expect(door.client.authorizationStatus(for: rate) == .sharingAuthorized)
        #expect(door.client.authorizationStatus(for: step) == .notDetermined)
        try write("{\"default\": \"deny\"}", door)
        #expect(try await door.values(rate).isEmpty)
        #expect(door.client.authorizationStatus(for: rate) == .sharingDenied)
        try write("{\"default\": \"allow\"}", door)
        #expect(try await door.values(step) == [5])
        try FileManager.default.removeItem(atPath: door.path + "/authorization.json")
        #expect(await code { _ = try await door.values(rate) } == .errorAuthorizationNotDetermined)
        #expect(try door.owner.store().verify().isSound)
    }

    @Test("objects that a person chooses one by one need the file, too")
    func objects() async throws {
        let door = try PrivateDoor()
        let type = HKObjectType.visionPrescriptionType()
        let prescription = glasses()
        try await door.other.save(prescription)
        let source = try door.directory.write(noise(10))
        let scan = try await HKAttachmentStore(healthStore: door.other)
            .addAttachment(to: prescription, name: "a", contentType: .pdf, url: source)
        var change = AuthorizationChange(client: PrivateDoor.name, origin: "test")
        (change.objects, change.objectType) = ([prescription.uuid: true], type)
        try door.owner.store().decide(change)
        func count() async throws -> Int {
            try await HKSampleQueryDescriptor(predicates: [.visionPrescription()]).result(for: door.client).count
        }
        let attachments = HKAttachmentStore(healthStore: door.client)
        #expect(try await count() == 1)
        #expect(try await attachments.attachments(for: prescription) == [scan])
        let rule = "{\"clients\": {\"\(PrivateDoor.name)\": {\"deny\": {\"read\": [\"\(type.identifier)\"]}}}}"
        for (text, mode) in [(rule, 0o600), ("{\"default\": \"deny\"}", 0o600), ("{", 0o600), ("{}", 0o622)] {
            try write(text, door, mode: mode)
            #expect(try await count() == 0, "\(text)")
            #expect(try await attachments.attachments(for: prescription).isEmpty)
            #expect(await code { _ = try await attachments.dataReader(for: scan).data } == .errorInvalidArgument)
        }
        try write("{\"default\": \"allow\"}", door)
        #expect(try await count() == 1)
    }

    @Test("a missing file that the environment names denies everything")
    func missing() throws {
        let absent = "/nonexistent/policy.json"
        #expect(AuthorizationPolicy.find(absent, nil, isNamed: false) == nil)
        let policy = try #require(AuthorizationPolicy.find(absent, nil, isNamed: true))
        #expect(policy.fault?.contains(absent) ?? false)
        #expect(policy.read(rate.identifier, "a") == .own && policy.share(rate.identifier, "a") == false)
    }

    @Test("the file limits the history")
    func since() async throws {
        let door = try PrivateDoor()
        try await door.other.save([beats(60, at: -86_400 * 40), beats(61, at: 86_400)])
        try write(
            "{\"clients\": {\"\(PrivateDoor.name)\": {\"read\": [\"*\"], \"readFrom\": \"2025-01-01\"}}}", door)
        #expect(try await door.values(rate) == [61])
    }

    @Test(
        "a file with a mistake denies everything, with its line",
        arguments: [
            ("{", "not JSON"), ("[]", "the file is not an object"), ("{\"default\": \"maybe\"}", "line 1: default"),
            ("{\n\"clients\": {\n\"a\": {\"raed\": []}}}", "line 3: client a has the unknown key raed"),
            ("{\"clients\": {\"a\": {\"read\": [\"HKSteps\"]}}}", "line 1: the type HKSteps is unknown"),
            ("{\"clients\": {\"a\": {\"read\": \"*\"}}}", "is not a list of types"),
            ("{\"clients\": {\n\"a\": {\"readFrom\": \"2025-02-30\"}}}", "line 2: readFrom of client a"),
        ])
    func mistakes(text: String, fault: String) async throws {
        let door = try PrivateDoor()
        try door.decide(read: [rate], share: [rate])
        try await door.other.save(beats(60, at: 0))
        #expect(try await door.values(rate) == [60])
        try write(text, door)
        #expect(try await door.values(rate).isEmpty)
        #expect(door.client.authorizationStatus(for: rate) == .sharingDenied)
        let found = try door.owner.store().authorizationPolicy()?.fault ?? ""
        #expect(found.contains(fault) && found.contains("authorization.json"))
        #expect(try await door.values(rate, door.owner) == [60])
    }

    @Test("a file that others may write denies everything")
    func writable() async throws {
        let door = try PrivateDoor()
        try await door.other.save(beats(60, at: 0))
        try write("{\"default\": \"allow\"}", door)
        #expect(try await door.values(rate) == [60])
        try write("{\"default\": \"allow\"}", door, mode: 0o622)
        #expect(try await door.values(rate).isEmpty)
        #expect(try door.owner.store().authorizationPolicy()?.fault?.contains("chmod") ?? false)
    }

    @Test("no text ends the process", arguments: 0..<200)
    func hostile(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let whole = Array(
            "{\"clients\": {\"a\": {\"read\": [\"*\"], \"deny\": {\"share\": [\"*\"]}}}, \"default\": \"ask\"}".utf8)
        var bytes = whole
        for _ in 0..<1 + random.below(4) { bytes[random.below(bytes.count)] = UInt8(random.below(128)) }
        let policy = AuthorizationPolicy(String(decoding: bytes, as: UTF8.self))
        if policy.fault != nil { #expect(policy.share("HKWorkoutTypeIdentifier", "a") == false) }
    }
}
