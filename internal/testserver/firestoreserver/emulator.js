// Starts @firestore-emulator/server on 127.0.0.1 at the port that is its argument.
//
// The emulator lacks some of what Firestore's documentation promises and package
// firestoreltm stands on. This adds that, and nothing else:
//
//   - A commit happens wholly or not at all, and keeps preconditions on the time
//     of the last update, not only those on existence.
//   - Every commit has a time of its own, in microseconds, later than those before.
//   - Requests may be as large as 10 MiB.
//   - A text that begins with a byte order mark keeps it.
//
// It also inserts documents without copying the whole collection each time, and
// converts a document once for all that read it.
const { createRequire } = require("node:module");
const { join } = require("node:path");

globalThis.TextDecoder = class extends TextDecoder {
  constructor(label, options) {
    super(label, { ...options, ignoreBOM: true });
  }
};

// The emulator is where NODE_PATH says, and what it needs is beside it.
const main = require.resolve("@firestore-emulator/server");
const beside = createRequire(main);
const state = require(main);
const { FirestoreServiceV1Impl } = require(join(main, "../server/FirestoreServiceV1Impl/index.js"));
const { Server, ServerCredentials, status } = beside("@grpc/grpc-js");
const { Timestamp } = beside("@firestore-emulator/proto/dist/google/protobuf/timestamp");
const { CommitResponse } = beside("@firestore-emulator/proto/dist/google/firestore/v1/firestore");

let last = 0; // the time of the last commit

// Moment is a Date that knows its microseconds.
class Moment extends Date {
  constructor() {
    super();
    this.micros = last = Math.max(this.getTime() * 1000, last + 1);
  }
}

const timestamp = (micros) =>
  Timestamp.fromObject({ seconds: Math.floor(micros / 1e6), nanos: (micros % 1e6) * 1000 });

const micros = (t) => t.seconds * 1e6 + Math.floor(t.nanos / 1000);

const toV1Document = state.FirestoreStateDocument.prototype.toV1Document;
state.FirestoreStateDocument.prototype.toV1Document = function () {
  const document = toV1Document.call(this);
  document.create_time = timestamp(this.metadata.createdAt.micros);
  document.update_time = timestamp(this.metadata.updatedAt.micros);
  return document;
};

const converted = new WeakMap(); // by the fields, which are others after each change
const toV1DocumentObject = state.FirestoreStateDocument.prototype.toV1DocumentObject;
state.FirestoreStateDocument.prototype.toV1DocumentObject = function () {
  if (!converted.has(this.fields)) converted.set(this.fields, toV1DocumentObject.call(this));
  return converted.get(this.fields);
};

state.FirestoreStateCollection.prototype.getDocument = function (name) {
  if (!Object.hasOwn(this.documents, name)) {
    this.documents[name] = new state.FirestoreStateDocument(this.emitter, this.database, this, name, {}, {});
  }
  return this.documents[name];
};

// refusal returns what is wrong with a write, undefined if nothing is.
function refusal(documents, write) {
  const wanted = write.has_current_document ? write.current_document : undefined;
  const { metadata } = documents.getDocument(write.has_delete ? write.delete : write.update.name);
  if (wanted?.has_exists && wanted.exists !== metadata.hasExist) {
    return wanted.exists
      ? { code: status.NOT_FOUND, message: "no document to update" }
      : { code: status.ALREADY_EXISTS, message: "document already exists" };
  }
  if (!wanted?.has_update_time) return undefined;
  if (!metadata.hasExist) return { code: status.NOT_FOUND, message: "no document to update" };
  if (metadata.updatedAt.micros !== micros(wanted.update_time)) {
    return { code: status.FAILED_PRECONDITION, message: "the stored version does not match the required base version" };
  }
  return undefined;
}

class Service extends FirestoreServiceV1Impl {
  #documents;
  constructor(documents) {
    super(documents);
    this.#documents = documents;
  }

  Commit(call, callback) {
    const { writes } = call.request;
    for (const write of writes) {
      const refused = refusal(this.#documents, write);
      if (refused) {
        callback(refused, null);
        return;
      }
    }
    const now = new Moment();
    for (const write of writes) this.#documents.writeV1Document(now, write);
    const time = timestamp(now.micros).toObject();
    callback(null, CommitResponse.fromObject({
      commit_time: time,
      write_results: writes.map(() => ({ update_time: time, transform_results: [] })),
    }));
  }
}

const size = 11 << 20;
const server = new Server({ "grpc.max_receive_message_length": size, "grpc.max_send_message_length": -1 });
server.addService(FirestoreServiceV1Impl.definition, new Service(new state.FirestoreState()));
server.bindAsync(`127.0.0.1:${process.argv[2]}`, ServerCredentials.createInsecure(), (err) => {
  if (err) throw err;
});
