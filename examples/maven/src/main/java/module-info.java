/** A server that reconstructs temperatures with perflow-nn. */
module demo {
  requires io.perflow;
  requires java.net.http;
  requires jdk.httpserver;
}
