/** Commands that copy, list, change and remove files of servers. */
package io.github.rpcrdma4j.cli.files;
