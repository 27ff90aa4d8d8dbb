"""A bookstore in memory over gRPC: bookstore.py DESCRIPTORS PORT_FILE."""

import sys
from concurrent import futures
from pathlib import Path

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, empty_pb2, message_factory

descriptors = descriptor_pb2.FileDescriptorSet.FromString(Path(sys.argv[1]).read_bytes())
pool = descriptor_pool.Default()
for file in descriptors.file:
    try:
        pool.FindFileByName(file.name)
    except KeyError:
        pool.Add(file)
service = pool.FindServiceByName("bookstore.v1.Bookstore")
shelves = {}
books = {}


def found(table, name, context):
    if name not in table:
        context.abort(grpc.StatusCode.NOT_FOUND, f"{name} does not exist")
    return table[name]


def create_shelf(request, context):
    request.name = f"shelves/{len(shelves) + 1}"
    shelves[request.name] = request
    return request


def get_shelf(request, context):
    return found(shelves, request.name, context)


def create_book(request, context):
    found(shelves, request.parent, context)
    request.book.name = f"{request.parent}/books/{len(books) + 1}"
    books[request.book.name] = request.book
    return request.book


def get_book(request, context):
    return found(books, request.name, context)


def list_books(request, context):
    found(shelves, request.parent, context)
    for name, book in books.items():
        if name.startswith(request.parent + "/") and book.pages >= request.min_pages:
            yield book


def delete_book(request, context):
    found(books, request.name, context)
    del books[request.name]
    return empty_pb2.Empty()


def handler(method):
    name = "".join("_" + c.lower() if c.isupper() else c for c in method.name).lstrip("_")
    make = (
        grpc.unary_stream_rpc_method_handler
        if method.server_streaming
        else grpc.unary_unary_rpc_method_handler
    )
    request = message_factory.GetMessageClass(method.input_type)
    return make(globals()[name], request.FromString, lambda reply: reply.SerializeToString())


server = grpc.server(futures.ThreadPoolExecutor(4))
handlers = {method.name: handler(method) for method in service.methods}
server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(service.full_name, handlers)])
port = server.add_insecure_port("127.0.0.1:0")
server.start()
partial = Path(sys.argv[2] + ".part")
partial.write_text(str(port))
partial.rename(sys.argv[2])
server.wait_for_termination()
