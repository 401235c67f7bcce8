// SPDX-License-Identifier: Apache-2.0

import TestSupport

extension HostileCase {
    /// Entities: declarations are refused, and references are kept as text.
    static func entityCases(_ random: inout SeededGenerator) -> [HostileCase] {
        let group = "entity"
        let first = random.below(16)
        var levels = "<!ENTITY lol \"lol\">"
        for level in 1...9 {
            let inner = String(repeating: "&lol\(level == 1 ? "" : "\(level - 1)");", count: 10)
            levels += "<!ENTITY lol\(level) \"\(inner)\">"
        }
        let laughs = levels
        let declarations: [(String, @Sendable (HostileFolder) -> String)] = [
            ("billion laughs", { _ in laughs }),
            ("quadratic blow-up", { _ in "<!ENTITY a \"" + String(repeating: "a", count: 50_000) + "\">" }),
            ("an entity that includes itself", { _ in "<!ENTITY a \"&a;\">" }),
            ("two entities that include each other", { _ in "<!ENTITY a \"&b;\"><!ENTITY b \"&a;\">" }),
            ("a parameter entity", { _ in "<!ENTITY % p \"<!ENTITY a 'x'>\"> %p;" }),
            ("a file", { "<!ENTITY a SYSTEM \"file://\($0.secret)\">" }),
            ("a file by its name", { "<!ENTITY a SYSTEM \"\($0.secret)\">" }),
            ("a pipe", { "<!ENTITY a SYSTEM \"file://\($0.pipe)\">" }),
            ("an address", { "<!ENTITY a SYSTEM \"http://127.0.0.1:\($0.port)/a\">" }),
            ("an address by a public name", { "<!ENTITY a PUBLIC \"x\" \"http://127.0.0.1:\($0.port)/b\">" }),
            ("a parameter entity at an address", { "<!ENTITY % a SYSTEM \"http://127.0.0.1:\($0.port)/c\"> %a;" }),
            ("an unparsed entity", { "<!NOTATION n SYSTEM \"n\"><!ENTITY a SYSTEM \"\($0.pipe)\" NDATA n>" }),
            ("without a value", { _ in "<!ENTITY a>" }), ("that does not end", { _ in "<!ENTITY a \"" }),
            ("in the middle of a list", { _ in "<!ATTLIST x y CDATA #IMPLIED><!ENTITY a \"b\">" }),
        ]
        var cases: [HostileCase] = []
        for (name, declaration) in declarations {
            cases.append(
                HostileCase(group, "declared: \(name)", HostileExpectation(outcome: .refused(["entities"]))) { folder in
                    let prolog = "<?xml version=\"1.0\"?>\n<!DOCTYPE HealthData [\(declaration(folder))]>\n"
                    var export = HostileExport(prolog: prolog, first: first)
                    export.records(2)
                    export.raw(GoodRecord.xml("value=\"1\" note=\"&a;&lol9;\"", GoodRecord(50)))
                    return try folder.write(export.finished, to: "export.xml")
                })
        }
        let types: [(String, @Sendable (HostileFolder) -> String)] = [
            ("a file", { "<!DOCTYPE HealthData SYSTEM \"file://\($0.secret)\">" }),
            ("a pipe", { "<!DOCTYPE HealthData SYSTEM \"\($0.pipe)\">" }),
            ("an address", { "<!DOCTYPE HealthData PUBLIC \"p\" \"http://127.0.0.1:\($0.port)/d\">" }),
        ]
        for (name, doctype) in types {
            var good = HostileExport(first: first)
            good.records(4)
            let expected = HostileExpectation(outcome: .kept, good: good.good, isExact: true, complete: true)
            cases.append(
                HostileCase(group, "the document type is \(name)", expected) { folder in
                    var export = HostileExport(prolog: doctype(folder), first: first)
                    export.records(4)
                    return try folder.write(export.finished, to: "export.xml")
                })
        }
        return cases + referenceCases(first)
    }

    /// References in values.
    private static func referenceCases(_ first: Int) -> [HostileCase] {
        let references: [(text: String, value: String, reason: String?)] = [
            ("&xxe;", "&xxe;", "unknownReference"), ("&nbsp;", "&nbsp;", "unknownReference"),
            ("a & b", "a & b", "unknownReference"), ("&amp;amp;", "&amp;", nil), ("&lt;Record/&gt;", "<Record/>", nil),
            ("&#x41;&#66;", "AB", nil), ("&#0;", " ", "illegalCharacter"), ("&#x0B;", " ", "illegalCharacter"),
            ("&#xD800;", " ", "illegalCharacter"), ("&#x110000;", " ", "illegalCharacter"),
            ("&#99999999;", " ", "illegalCharacter"), ("&#999999999;", "&#999999999;", "unknownReference"),
            ("&#;", "&#;", "unknownReference"), ("&#x;", "&#x;", "unknownReference"),
            ("&#-1;", "&#-1;", "unknownReference"), ("&#X41;", "&#X41;", "unknownReference"),
            ("&amp", "&amp", "unknownReference"), ("&;", "&;", "unknownReference"), ("a<b", "a<b", "unescapedMarkup"),
            ("&#x1F496;", "\u{1F496}", nil), ("]]>", "]]>", nil), ("&apos;&quot;", "'\"", nil),
        ]
        return references.map { text, value, reason in
            var export = HostileExport(first: first)
            export.records(3)
            let record = GoodRecord(60)
            let place = export.count
            let child = "<MetadataEntry key=\"k\" value=\"\(text)\"/>"
            export.raw(
                GoodRecord.xml("value=\"1\"", record, children: child) + "\n",
                good: [record.changed(value: 1, more: "k=\(value)")])
            if let reason { export.expect(reason, place..<export.count) }
            export.records(3)
            return .xml("entity", "the value \(text)", export)
        }
    }

    /// Valid and invalid text before the root.
    static func prologCases(_ random: inout SeededGenerator) -> [HostileCase] {
        let group = "prolog"
        let first = random.below(16)
        let xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        func export(_ prolog: String, root: String = HostileExport.root, _ reasons: String...) -> HostileExport {
            var export = HostileExport(prolog: prolog, root: root, first: first)
            for reason in reasons { export.expect(reason, 0..<prolog.utf8.count + 2) }
            export.records(5)
            return export
        }
        var cases: [HostileCase] = [
            .xml(group, "nothing before the root", export("")),
            .xml(group, "another encoding", export("<?xml version=\"1.0\" encoding=\"UTF-7\"?>\n")),
            .xml(group, "version 9", export("<?xml version=\"9\"?>\n")),
            .xml(
                group, "the type of iOS 16",
                export(
                    xml + "<!DOCTYPE HealthData [\n<!ELEMENT x EMPTY>\n<!ATTLIST x\n]>\n", "malformedDTD")),
            .xml(group, "a type closed twice", export(xml + "<!DOCTYPE HealthData []>]>\n", "malformedDTD")),
            .xml(group, "a type that does not end", export(xml + "<!DOCTYPE HealthData [\n", "malformedDTD")),
            .xml(
                group, "two types",
                export(
                    xml + "<!DOCTYPE HealthData []>\n<!DOCTYPE HealthData []>\n", "malformedDTD")),
            .xml(
                group, "tags in the type",
                export(
                    xml + "<!DOCTYPE HealthData [<a><b>text</b>]>\n"), exact: false),
            .xml(group, "comments that hide a root", export(xml + "<!-- <HealthData> <Record/> -->\n")),
            .xml(group, "100,000 comments", export(xml + String(repeating: "<!---->", count: 100_000))),
            .xml(group, "100,000 instructions", export(xml + String(repeating: "<?a b?>", count: 100_000))),
            .xml(group, "3 MB of spaces", export(xml + String(repeating: " ", count: 3_000_000))),
            .xml(group, "text before the root", export(xml + "hello\n", "strayText")),
            .xml(group, "a second declaration", export(xml + xml)),
            refused(group, "another root", Array((xml + "<gpx><HealthData/></gpx>").utf8), "root is <gpx>"),
            refused(group, "HTML", Array("<!doctype html><html><body>".utf8), "root is <html>"),
            refused(group, "a clinical document", Array((xml + "<ClinicalDocument/>").utf8), "root is"),
            refused(group, "no root", Array(xml.utf8), "without <HealthData>"),
            refused(
                group, "a name that begins like the root's",
                Array((xml + "<HealthDataX><Record/></HealthDataX>").utf8), "root is"),
            refused(
                group, "5 MB of spaces",
                export(xml + String(repeating: " ", count: 5_000_000)).finished, "without <HealthData>"),
        ]
        // Beginnings without an end, too many to scan each to the end of the file.
        let type = xml + "<!DOCTYPE HealthData [\n"
        for (name, text, isType) in [
            ("comments", "<!--", false), ("comments with brackets", "<!-->", true), ("instructions", "<?", false),
            ("instructions with brackets", "<?>", true), ("sections", "<![CDATA[", true), ("names", "<a", true),
            ("declarations", "<!A", true), ("quotes", "<a b=\"", true), ("end tags", "</a", true),
        ] {
            let many = String(repeating: text, count: 3_900_000 / text.utf8.count)
            let bytes = export((isType ? type : xml) + many).finished
            var good = HostileExport(first: first)
            good.records(5)
            cases.append(
                HostileCase(
                    group, "3.9 MB of unterminated \(name)", bytes: bytes,
                    HostileExpectation(outcome: .either, good: good.good)))
        }
        return cases
    }
}
