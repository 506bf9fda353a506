// Loaded before a program: stops its process as soon as it is about to open its first connection, with all modules loaded.
import { Socket } from 'node:net';

const { connect } = Socket.prototype;

Socket.prototype.connect = function (...given) {
  Socket.prototype.connect = connect;
  process.stderr.write('stopped before the first connection\n');
  process.kill(process.pid, 'SIGSTOP');
  return connect.apply(this, given);
};
