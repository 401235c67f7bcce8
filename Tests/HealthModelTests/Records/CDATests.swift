// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel

/// Texts of CDA documents.
enum CDATexts {
    /// The elements of a small valid document, by name.
    static let parts: [(name: String, xml: String)] = [
        ("realmCode", #"<realmCode code="US"/>"#),
        ("typeId", #"<typeId root="2.16.840.1.113883.1.3" extension="POCD_HD000040"/>"#),
        ("templateId", #"<templateId root="2.16.840.1.113883.10.20.22.1.1"/>"#),
        ("id", #"<id root="1.2.3"/>"#), ("code", #"<code code="34133-9"/>"#),
        ("title", "<title>Summary of A&amp;B <![CDATA[<1>]]></title>"),
        ("effectiveTime", #"<effectiveTime value="20240101"/>"#),
        ("confidentialityCode", #"<confidentialityCode code="N"/>"#),
        (
            "recordTarget",
            "<recordTarget><patientRole><id root=\"1\"/><patient><name use=\"L\"><given>Ada</given>\n<given>M.</given>"
                + "<family>Lovelace</family></name></patient></patientRole></recordTarget>"
        ),
        (
            "author",
            "<author><time value=\"2024\"/><assignedAuthor><id root=\"1\"/><assignedPerson><name><given>Grace</given> "
                + "<family>Hopper</family></name></assignedPerson></assignedAuthor></author>"
        ),
        (
            "custodian",
            "<custodian><assignedCustodian><representedCustodianOrganization><id root=\"1\"/><name>Clinic &#xC4;</name>"
                + "</representedCustodianOrganization></assignedCustodian></custodian>"
        ),
        ("component", "<component><structuredBody><component/></structuredBody></component>"),
    ]

    /// Returns a document; the elements of some names are replaced.
    static func document(
        replacing other: [String: String] = [:], start: String = #"<ClinicalDocument xmlns="urn:hl7-org:v3">"#,
        end: String = "</ClinicalDocument>"
    ) -> String {
        let body = parts.map { other[$0.name] ?? $0.xml }.joined(separator: "\n  ")
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- made -->\n\(start)\n  \(body)\n\(end)\n"
    }

    static let date = Date(timeIntervalSinceReferenceDate: 700_000_000)

    static func sample(_ text: String, at date: Date = date) throws -> HKCDADocumentSample {
        try HKCDADocumentSample(data: Data(text.utf8), start: date, end: date, metadata: nil)
    }
}

@Suite("S-6 CDA documents: names, required elements and hostile XML")
struct CDATests {
    /// Returns the detailed faults of a document; nil if it is accepted.
    private func faults(_ text: String) -> String? { faults(Data(text.utf8)) }

    private func faults(_ data: Data) -> String? {
        do {
            let date = CDATexts.date
            _ = try HKCDADocumentSample(data: data, start: date, end: date, metadata: nil)
            return nil
        } catch {
            let info = (error as NSError).userInfo
            #expect((error as? HKError)?.code == .errorInvalidArgument && (error as NSError).domain == HKErrorDomain)
            return info[HKDetailedCDAValidationErrorKey] as? String ?? "no details"
        }
    }

    @Test("the title and the names come from the XML")
    func names() throws {
        let text = CDATexts.document()
        let sample = try CDATexts.sample(text)
        let document: HKCDADocument = try #require(sample.document)
        #expect(document.title == "Summary of A&B <1>" && document.patientName == "Ada M. Lovelace")
        #expect(document.authorName == "Grace Hopper" && document.custodianName == "Clinic Ä")
        #expect(document.documentData == Data(text.utf8))
        #expect(sample.documentType == HKDocumentType(.CDA) && sample.sampleType == HKDocumentType(.CDA))
        var prefixed = text.replacing("xmlns=", with: "xmlns:c=")
        for (name, _) in CDATexts.parts + [("ClinicalDocument", ""), ("patient", ""), ("name", ""), ("given", "")] {
            prefixed = prefixed.replacing("<\(name)", with: "<c:\(name)").replacing("</\(name)", with: "</c:\(name)")
        }
        for name in ["family", "assigned", "representedCustodianOrganization", "time", "structuredBody"] {
            prefixed = prefixed.replacing("<\(name)", with: "<c:\(name)").replacing("</\(name)", with: "</c:\(name)")
        }
        #expect(try CDATexts.sample(prefixed).document?.patientName == "Ada M. Lovelace")
        let device = CDATexts.document(replacing: [
            "author":
                "<author><assignedAuthor><assignedAuthoringDevice><softwareName> My\n App </softwareName>"
                + "</assignedAuthoringDevice></assignedAuthor></author><author/>",
            "title": "", "realmCode": "", "templateId": "",
        ])
        #expect(try CDATexts.sample(device).document?.authorName == "My App")
        #expect(try CDATexts.sample(device).document?.title.isEmpty == true)
        let whole = CDATexts.document(replacing: [
            "recordTarget":
                "<recordTarget><patientRole><patient><name>Ada\n Lovelace</name></patient></patientRole></recordTarget>"
                + "<recordTarget><patientRole><patient><name>Other</name></patient></patientRole></recordTarget>"
        ])
        #expect(try CDATexts.sample(whole).document?.patientName == "Ada Lovelace")
    }

    @Test("each required element must be present, once, and in its order; the faults name it with its line")
    func structure() throws {
        let optional: Set = ["realmCode", "templateId", "title"]
        for (name, xml) in CDATexts.parts {
            let missing = faults(CDATexts.document(replacing: [name: ""]))
            #expect((missing == nil) == optional.contains(name), "\(name)")
            if let missing { #expect(missing.contains("\(name) is missing")) }
            let twice = faults(CDATexts.document(replacing: [name: xml + xml]))
            let mayRepeat: Set = ["realmCode", "templateId", "recordTarget", "author"]
            #expect((twice == nil) == mayRepeat.contains(name), "\(name)")
        }
        let id = try #require(CDATexts.parts.first { $0.name == "id" }?.xml)
        let late = try #require(faults(CDATexts.document(replacing: ["id": "", "component": "<component/>\(id)"])))
        #expect(late.contains("id stands after component") && late.contains("line 16"), "\(late)")
        #expect(faults(CDATexts.document(replacing: ["id": id + "<strange/>"]))?.contains("strange") == true)
        #expect(faults(CDATexts.document(replacing: ["id": id + "<x:strange/>"])) == nil)
        #expect(faults(CDATexts.document(start: "<ClinicalDocument>"))?.contains("urn:hl7-org:v3") == true)
        let other = faults("<HealthData/>")
        #expect(other?.split(separator: "\n").count ?? 0 > 5)
        let many = String(repeating: "<strange/>", count: 10_000)
        #expect(faults(CDATexts.document(replacing: ["id": many]))?.split(separator: "\n").count == 20)
    }

    @Test("XML that is not well-formed, declares entities or another encoding is refused")
    func malformed() {
        let wrong = [
            "", " ", "x", "<", "<a", "<a>", "<a></b>", "<a/><b/>", "<a/>x", "</a>", "<a b></a>", "<a b=c/>",
            "<a b='1' b='2'/>", "<a b='<'/>", "<a b='1'c='2'/>", "<a>&x;</a>", "<a>&#0;</a>", "<a>&#xD800;</a>",
            "<a>&amp</a>", "<a>&#;</a>", "<a>]]></a>", "<a><![CDATA[</a>", "<![CDATA[x]]>", "<a><!-- -- --></a>",
            "<a><!--</a>", "<a><?x</a>", "<a>\u{1}</a>", "<1/>", "<a", "<a /", "<a / >", "<?xml version='1.0'?>",
            "<?xml version='1.0' encoding='UTF-16'?><a/>", "<a><?xml version='1.0'?></a>", "\u{FEFF}",
            "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>",
        ]
        for text in wrong {
            let found = faults(text)
            #expect(found?.hasPrefix("line ") == true, "\(text): \(found ?? "accepted")")
        }
        #expect(faults(Data([0xFF, 0xFE, 0x3C, 0x00])) != nil && faults(Data([0xC0, 0x80])) != nil)
        let bomb =
            "<!DOCTYPE a [<!ENTITY x 'xxxxxxxxxx'><!ENTITY y '&x;&x;&x;&x;&x;&x;&x;&x;'>]>" + CDATexts.document()
        #expect(faults(bomb) != nil)
        #expect(faults("\u{FEFF}" + CDATexts.document()) == nil)
    }

    @Test("depth, attributes, names and length are bounded, in time that grows with the bytes")
    func bounds() throws {
        let deep = String(repeating: "<a>", count: 1_000_000)
        #expect(faults(deep)?.contains("256 elements") == true)
        let wide = "<a " + (0..<300).map { "b\($0)='1'" }.joined(separator: " ") + "/>"
        #expect(faults(wide)?.contains("256 attributes") == true)
        let long = String(repeating: "x", count: 1_000_000)
        let titled = CDATexts.document(replacing: ["title": "<title>\(long)</title>"])
        #expect(try CDATexts.sample(titled).document?.title.utf8.count ?? 0 <= 10_000)
        let crumbs = String(repeating: "<![CDATA[]]>a<!-- -->", count: 100_000)
        #expect(
            try CDATexts.sample(CDATexts.document(replacing: ["title": "<title>\(crumbs)</title>"])).document != nil)
        let brackets = String(repeating: "]", count: 1_000_000)
        #expect(faults("<a>\(brackets)</a>") != nil && faults("<a><!-- \(brackets)") != nil)
        #expect(faults(Data(count: (64 << 20) + 1))?.contains("limit") == true)
    }

    @Test("each prefix of a document and each changed byte is refused or read, and ends no process")
    func damage() {
        let bytes = Array(CDATexts.document().utf8)
        let last = CDATexts.document().trimmingCharacters(in: .whitespacesAndNewlines).utf8.count
        for length in 0..<last { #expect(faults(Data(bytes[..<length])) != nil, "\(length)") }
        var random = SeededGenerator(seed: 7)
        for place in bytes.indices {
            for value in [0, 0x3C, 0x3E, 0x26, 0x22, UInt8(random.below(256))] {
                var changed = bytes
                changed[place] = value
                _ = faults(Data(changed))
            }
        }
    }

    @Test("save refuses a sample without its document, too long a time and an open end")
    func refused() throws {
        func isRefused(_ object: HKObject) -> Bool {
            do throws(HKError) {
                try HealthSaveRules.check(object)
                return false
            } catch { return error.code == .errorInvalidArgument }
        }
        let sample = try CDATexts.sample(CDATexts.document())
        #expect(!isRefused(sample) && isRefused(sample.showing(.names)) && isRefused(sample.showing(.none)))
        #expect(sample.showing(.none).document == nil && sample.showing(.names).document?.documentData == nil)
        #expect(sample.showing(.names).document?.title == sample.document?.title && sample.showing(.all) === sample)
        let date = CDATexts.date
        let ends: [(Date, Bool)] = [
            (date + 345_600, false), (date + 345_601, true), (.distantFuture, true), (date - 1, true),
        ]
        for (end, isWrong) in ends {
            let one = try HKCDADocumentSample(
                data: Data(CDATexts.document().utf8), start: date, end: end, metadata: nil)
            #expect(isRefused(one) == isWrong, "\(end)")
        }
        var content = try #require(sample.content)
        content.names.title = "another"
        #expect(
            isRefused(
                HKCDADocumentSample(
                    header: sample.header, type: HKDocumentType(.CDA), start: date, end: date, content: content)))
    }

    @Test("conditions on the title and the names hold as on texts, and never without a document")
    func predicates() throws {
        let sample = try CDATexts.sample(CDATexts.document())
        let paths = [
            HKPredicateKeyPathCDATitle: "Summary of A&B <1>", HKPredicateKeyPathCDAPatientName: "Ada M. Lovelace",
            HKPredicateKeyPathCDAAuthorName: "Grace Hopper", HKPredicateKeyPathCDACustodianName: "Clinic Ä",
        ]
        #expect(paths.keys.sorted() == ["author_name", "custodian_name", "patient_name", "title"])
        let texts = ["", "Ada", "Hopper", "Grace Hopper", "Ä", "Summary", "z", "Ada M. Lovelace"]
        let operators: [(String, (String, String) -> Bool)] = [
            ("==", { $0 == $1 }), ("!=", { $0 != $1 }), ("<", { $0 < $1 }), ("<=", { $0 <= $1 }), (">", { $0 > $1 }),
            (">=", { $0 >= $1 }), ("BEGINSWITH", { $0.hasPrefix($1) }), ("ENDSWITH", { $0.hasSuffix($1) }),
            ("CONTAINS", { $1.isEmpty || $0.contains($1) }),
        ]
        for (path, own) in paths {
            for text in texts {
                for (sign, holds) in operators {
                    let predicate = NSPredicate(format: "%K \(sign) %@", path, text)
                    #expect(predicate.evaluate(with: sample) == holds(own, text), "\(path) \(sign) \(text)")
                    #expect(!predicate.evaluate(with: sample.showing(.none)))
                    #expect(!predicate.evaluate(with: HKStateOfMind.one))
                }
            }
            #expect((NSPredicate(format: "%K == 3", path) as? HealthPredicate)?.value.refusal != nil)
        }
    }
}

extension HKStateOfMind {
    fileprivate static var one: HKStateOfMind {
        HKStateOfMind(date: CDATexts.date, kind: .dailyMood, valence: 0, labels: [], associations: [])
    }
}
