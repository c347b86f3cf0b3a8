"""The implementation. Nothing here is public: users import the namespaces beside this folder."""
