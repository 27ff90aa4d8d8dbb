// Loaded before the server, which has no option for it: it listens on the loopback interface only.
const { Server } = require('node:net');

const { listen } = Server.prototype;
Server.prototype.listen = function (port, ...more) {
  return typeof port === 'number' ? listen.call(this, port, '127.0.0.1', ...more) : listen.call(this, port, ...more);
};
