package io.github.rpcrdma4j.bench.stack;

import java.io.IOException;
import java.nio.file.Path;

/** Our NFS server and client, with a process of its own between them. */
record PassingExchange(Passage passage) implements Exchange {
    @Override
    public Service serve(Setting setting, Path directory) throws Exception {
        var server = passage.serverSide().serve(setting, directory);
        var between = PassingProcess.start(passage, setting.crc(), server.port());
        return new Service() {
            @Override
            public int port() {
                return between.port();
            }

            @Override
            public void close() throws IOException {
                between.close();
                server.close();
            }
        };
    }

    @Override
    public Session connect(int port, Setting setting, Path directory) throws Exception {
        return passage.clientSide().connect(port, setting, directory);
    }
}
