// Prepares the MongoDB of one node, in mongosh: the start-up probe and the health check of compose.yaml run it until it succeeds.
// It initiates the replica set, waits for it to be writable, and gives each user in MONGODB_USERS its password and its rights.
/* global db, rs, quit */
const fs = require('node:fs');

const PREPARED = '/tmp/prepared';
/** Rights of the users that are not a service. The user of a service has the name of its database. */
const roles = {
  backup: [{ role: 'backup', db: 'admin' }],
  exporter: [
    { role: 'clusterMonitor', db: 'admin' },
    { role: 'read', db: 'local' },
  ],
};

try {
  rs.status();
} catch (error) {
  if (error.codeName !== 'NotYetInitialized') throw error;
  rs.initiate({ _id: 'rs0', members: [{ _id: 0, host: process.env.MONGODB_HOST }] });
}
if (!db.hello().isWritablePrimary) quit(1);
if (!fs.existsSync(PREPARED)) {
  const admin = db.getSiblingDB('admin');
  for (const user of process.env.MONGODB_USERS.trim().split(/\s+/)) {
    const [name, pwd] = user.split(':');
    const settings = { pwd, roles: roles[name] ?? [{ role: 'readWrite', db: name }], mechanisms: ['SCRAM-SHA-256'] };
    if (admin.getUser(name) === null) admin.createUser({ user: name, ...settings });
    else admin.updateUser(name, settings);
  }
  fs.writeFileSync(PREPARED, '');
}
