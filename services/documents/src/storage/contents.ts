import { GridFSBucket } from 'mongodb';
import type { Db, GridFSFile } from 'mongodb';
import type { ContentStore } from '../application/uploads.js';

/** One piece of a file in the database, and what a process holds of each file while it stores or sends it. */
const PIECE_BYTES = 512 * 1024;

/** Files as pieces in MongoDB (GridFS), under ids of this service. */
export function contentStore(db: Db, bucketName: string): ContentStore {
  const bucket = new GridFSBucket(db, { bucketName, chunkSizeBytes: PIECE_BYTES });
  const files = db.collection<{ _id: string }>(`${bucketName}.files`);
  const pieces = db.collection<{ files_id: string }>(`${bucketName}.chunks`);
  // The driver types the ids of files as ObjectId; the format allows any.
  const idOf = (fileId: string): GridFSFile['_id'] => fileId as unknown as GridFSFile['_id'];
  return {
    async write(fileId, chunks) {
      const file = bucket.openUploadStreamWithId(idOf(fileId), fileId);
      // The promises below report failures; an error event without a listener would end the process.
      file.on('error', () => {});
      // One by one, and no pipeline: when the source fails nothing may be on its way that is stored after the deletion.
      for await (const chunk of chunks) await settled((done) => file.write(chunk, done));
      await settled((done) => file.end(done));
    },
    read(fileId, range) {
      const options = range === undefined ? {} : { start: range.first, end: range.last + 1 };
      return bucket.openDownloadStream(idOf(fileId), options) as AsyncIterable<Uint8Array>;
    },
    async delete(fileId) {
      // The driver's own deletion fails for a file that was not completed.
      await files.deleteOne({ _id: fileId });
      await pieces.deleteMany({ files_id: fileId });
    },
  };
}

function settled(begin: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    begin((error) => {
      if (error === null || error === undefined) resolve();
      else reject(error);
    });
  });
}
