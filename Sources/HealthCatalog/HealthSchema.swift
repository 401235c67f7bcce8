// SPDX-License-Identifier: Apache-2.0

import Catalog

/// The tables and indexes as they are stored in the file; `Docs/Format/Catalog.md` describes every column.
enum HealthSchema {
    /// The parts that all formats have, in the order of creation.
    private static let parts: [SchemaPart] = [
        "CREATE TABLE source(id INTEGER PRIMARY KEY,name TEXT NOT NULL,bundle TEXT)STRICT",
        "CREATE TABLE device(id INTEGER PRIMARY KEY,text TEXT NOT NULL UNIQUE)STRICT",
        "CREATE TABLE metadata(id INTEGER PRIMARY KEY,hash INTEGER NOT NULL,body BLOB NOT NULL)STRICT",
        "CREATE INDEX metadata_hash ON metadata(hash)",
        """
        CREATE TABLE object(id INTEGER PRIMARY KEY,kind INTEGER NOT NULL,start INTEGER,"end" INTEGER,\
        digest INTEGER NOT NULL,born INTEGER NOT NULL,died INTEGER,body BLOB NOT NULL)STRICT
        """,
        "CREATE INDEX object_time ON object(kind,start)",
        """
        CREATE TABLE document(id INTEGER PRIMARY KEY,path TEXT NOT NULL,digest INTEGER NOT NULL,\
        bytes INTEGER NOT NULL,body BLOB NOT NULL)STRICT
        """,
        "CREATE TABLE characteristic(key TEXT PRIMARY KEY,value TEXT NOT NULL)STRICT,WITHOUT ROWID",
        """
        CREATE TABLE import_log(id INTEGER PRIMARY KEY,file TEXT NOT NULL,digest BLOB NOT NULL,at INTEGER NOT NULL,\
        records INTEGER NOT NULL,added INTEGER NOT NULL,skipped INTEGER NOT NULL,repaired INTEGER NOT NULL,\
        note TEXT NOT NULL)STRICT
        """,
        // Deferred, so that a commit may remove a series before its closure removes this row.
        """
        CREATE TABLE health_series(series INTEGER PRIMARY KEY REFERENCES series(id)DEFERRABLE INITIALLY DEFERRED,\
        type TEXT NOT NULL,source INTEGER NOT NULL REFERENCES source(id),unit TEXT)STRICT
        """,
    ]

    /// Parts that formats before that of health objects define differently.
    private static let oldProvenance: [SchemaPart] = [
        """
        CREATE TABLE provenance(id INTEGER PRIMARY KEY,source INTEGER NOT NULL REFERENCES source(id),version TEXT,\
        device INTEGER REFERENCES device(id))STRICT
        """,
        "CREATE UNIQUE INDEX provenance_key ON provenance(source,ifnull(version,x''),ifnull(device,0))",
    ]

    /// Parts that the format of health objects adds or redefines.
    static let objectParts: [SchemaPart] = [
        """
        CREATE TABLE provenance(id INTEGER PRIMARY KEY,source INTEGER NOT NULL REFERENCES source(id),version TEXT,\
        device INTEGER REFERENCES device(id),product TEXT,os TEXT)STRICT
        """,
        // A unique index treats NULLs as different; an empty blob and 0 replace them.
        """
        CREATE UNIQUE INDEX provenance_key ON provenance(source,ifnull(version,x''),ifnull(device,0),\
        ifnull(product,x''),ifnull(os,x''))
        """,
        """
        CREATE TABLE health_object(id INTEGER PRIMARY KEY,uuid BLOB NOT NULL,kind INTEGER NOT NULL,\
        type TEXT NOT NULL,provenance INTEGER NOT NULL REFERENCES provenance(id),metadata INTEGER NOT NULL,\
        start INTEGER NOT NULL,"end" INTEGER NOT NULL,created INTEGER,born INTEGER NOT NULL,died INTEGER,\
        body BLOB NOT NULL)STRICT
        """,
        "CREATE INDEX health_object_uuid ON health_object(uuid)",
        "CREATE INDEX health_object_time ON health_object(type,start)",
        "CREATE INDEX health_object_born ON health_object(born)",
        "CREATE INDEX health_object_died ON health_object(died)WHERE died IS NOT NULL",
        """
        CREATE TABLE sync_identifier(type TEXT NOT NULL,source INTEGER NOT NULL REFERENCES source(id),\
        identifier TEXT NOT NULL,version REAL NOT NULL,uuid BLOB NOT NULL,start INTEGER NOT NULL,\
        PRIMARY KEY(type,source,identifier))STRICT,WITHOUT ROWID
        """,
        "CREATE TABLE setting(key TEXT PRIMARY KEY,value TEXT NOT NULL)STRICT,WITHOUT ROWID",
    ]

    /// Workout sessions in progress, outside the formats; the first session creates them.
    static let sessionParts: [SchemaPart] = [
        """
        CREATE TABLE workout_session(id INTEGER PRIMARY KEY,uuid BLOB NOT NULL,client TEXT NOT NULL,\
        active INTEGER NOT NULL,interrupted INTEGER NOT NULL,body BLOB NOT NULL)STRICT
        """,
        """
        CREATE TABLE workout_session_part(id INTEGER PRIMARY KEY,session INTEGER NOT NULL,count INTEGER NOT NULL,\
        body BLOB NOT NULL)STRICT
        """,
    ]

    /// Decisions about access, outside the formats; the first decision creates them.
    static let authorizationParts: [SchemaPart] = [
        """
        CREATE TABLE authorization(client TEXT NOT NULL,direction INTEGER NOT NULL,type TEXT NOT NULL,\
        object BLOB NOT NULL,allowed INTEGER NOT NULL,since INTEGER,number INTEGER NOT NULL,decided INTEGER NOT NULL,\
        origin TEXT NOT NULL,PRIMARY KEY(client,direction,type,object))STRICT,WITHOUT ROWID
        """
    ]

    /// Attachments of saved objects, outside the formats; the first attachment creates them.
    static let attachmentParts: [SchemaPart] = [
        """
        CREATE TABLE attachment(id INTEGER PRIMARY KEY,uuid BLOB NOT NULL UNIQUE,object BLOB NOT NULL,\
        name TEXT NOT NULL,type TEXT NOT NULL,bytes INTEGER NOT NULL,created INTEGER NOT NULL,metadata BLOB)STRICT
        """,
        "CREATE INDEX attachment_object ON attachment(object)",
    ]

    static func parts(of format: Int) -> [SchemaPart] {
        let hasObjects = format >= CatalogTransaction.objectFormat
        return Array(parts.prefix(2)) + (hasObjects ? objectParts : oldProvenance) + parts.dropFirst(2)
    }

    /// The tables of all formats, for a catalog whose list of tables is lost.
    static var salvaged: [CatalogSalvage.Table] {
        allTables.map { part in
            switch part.name {
            case "setting": CatalogSalvage.Table(part.sql, holds: isSetting)
            case "characteristic": CatalogSalvage.Table(part.sql) { !isSetting($0) }
            default: CatalogSalvage.Table(part.sql)
            }
        }
    }

    static var salvagedNames: [String] { allTables.map(\.name) }

    private static var allTables: [SchemaPart] {
        (objectParts + oldProvenance + parts + sessionParts + authorizationParts + attachmentParts).filter {
            $0.sql.hasPrefix("CREATE TABLE ")
        }
    }

    /// Whether a key is that of a setting, by its prefix; keys of characteristics have other prefixes.
    private static func isSetting(_ key: String) -> Bool {
        let prefixes = [
            "unit.", "goal.", "order.", "zone.", "zones.", "delivery\t", "erasure", HealthCatalog.convertedWorkoutsKey,
            "WorkoutsRewritten", HealthCatalog.authorizationKey, HealthCatalog.convertedSamplesKey,
            HealthCatalog.lastDocumentKey,
        ]
        return prefixes.contains { key.hasPrefix($0) }
    }
}
