/**
 * The operations of NFS version 4 as shapes, and walks over COMPOUNDs by these shapes (RFC 7530,
 * 8881, 7862, 8276 and 9754). {@code ShapeTable} has the shape of the arguments and of the results
 * of each operation. {@link io.github.rpcrdma4j.nfs.v4.CompoundCall} and {@link
 * io.github.rpcrdma4j.nfs.v4.CompoundReply} say which operations a message has, where its bulk
 * items are, and how long the reply can be.
 *
 * <p>A walk does not copy data, and ends with a value for all bytes.
 */
package io.github.rpcrdma4j.nfs.v4;
